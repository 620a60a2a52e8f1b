import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type Purpose, Sealer } from './sealer.ts'

const sealer = new Sealer(randomBytes(32))

describe('the key that seals', () => {
  it('seals bytes that only it unseals, differently each time, a third longer plus 38 letters', () => {
    const secret = randomBytes(300)
    const [one, other] = [sealer.seal('flash', secret), sealer.seal('flash', secret)]
    expect(one).to.have.length(400 + 38)
    expect(one)
      .to.match(/^[\w-]+$/)
      .and.not.equal(other)
    expect([sealer.unseal('flash', one), sealer.unseal('flash', other)]).to.deep.equal([secret, secret])
    expect(new Sealer(randomBytes(32)).unseal('flash', one)).to.equal(undefined)
  })

  it('unseals nothing that was changed, cut off, sealed for something else, or made up', () => {
    const sealed = Buffer.from(sealer.seal('flash', Buffer.from('a key')), 'base64url')
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      expect(sealer.unseal('flash', changed.toString('base64url')), `byte ${at}`).to.equal(undefined)
      expect(sealer.unseal('flash', sealed.subarray(0, at).toString('base64url')), `length ${at}`).to.equal(undefined)
    }
    expect(sealer.unseal('flash', sealer.seal('another' as Purpose, Buffer.from('a key')))).to.equal(undefined)
    for (const text of ['', '…', 'x'.repeat(5000)]) expect(sealer.unseal('flash', text)).to.equal(undefined)
  })

  it('has a fingerprint that identifies it without being a part of it', () => {
    const key = randomBytes(32)
    const { fingerprint } = new Sealer(key)
    expect(fingerprint).to.equal(new Sealer(key).fingerprint).and.not.equal(sealer.fingerprint)
    expect(key.toString('hex')).to.not.include(fingerprint)
    expect(createHash('sha256').update(key).digest('hex')).to.not.include(fingerprint)
    expect(() => new Sealer(randomBytes(16))).to.throw('32 bytes')
  })
})
