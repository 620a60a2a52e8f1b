import { expect } from 'chai'
import { createSecret, isWellFormed, marksOf, secretHash } from './secret.ts'

describe('the secret of a key', () => {
  it('has the form that secret scanners look for, and is never the same twice', () => {
    const secrets = Array.from({ length: 200 }, createSecret)
    for (const secret of secrets) expect(secret).to.match(/^ma_[0-9A-Za-z]{38}$/)
    expect(new Set(secrets).size).to.equal(200)
    expect(secrets.every(isWellFormed)).to.equal(true)
  })

  it('is refused without a read if any one character differs', () => {
    const secret = createSecret()
    for (let place = 3; place < secret.length; place++) {
      const other = secret.charAt(place) === 'a' ? 'b' : 'a'
      expect(isWellFormed(secret.slice(0, place) + other + secret.slice(place + 1)), `at ${place}`).to.equal(false)
    }
  })

  it('is refused in every other form', () => {
    const secret = createSecret()
    const forms = [
      '',
      'ma_',
      'ma_wrong',
      `${secret} `,
      `${secret}\n`,
      secret.slice(1),
      `${secret}, ${secret}`,
      `ma_${'a'.repeat(38)}`,
    ]
    for (const text of forms) expect(isWellFormed(text), JSON.stringify(text)).to.equal(false)
  })

  it('keeps its checksum from release to release', () => {
    expect(isWellFormed(`ma_${'0'.repeat(32)}1fUbeM`)).to.equal(true)
  })

  it('is recognised by its first and last characters, and stored only as a hash', () => {
    const secret = createSecret()
    expect(marksOf(secret)).to.deep.equal({ prefix: secret.slice(0, 7), suffix: secret.slice(37) })
    expect(secretHash('ma_')).to.match(/^[0-9a-f]{64}$/)
  })
})
