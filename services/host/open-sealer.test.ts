import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { readConfig } from '#packages/foundation/config/config.ts'
import { Sealer } from '#packages/foundation/secrets/sealer.ts'
import { keyFileOf } from '#packages/foundation/secrets/secrets-key.ts'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import { chooseKey, openSealer } from './open-sealer.ts'

const KEY = 'ab'.repeat(32)
const secret = Buffer.from('a secret')

describe('the sealing key', () => {
  const folder = directoryForEach()
  let lines: string[]
  beforeEach(() => {
    lines = []
  })
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  const open = (environment: Record<string, string> = {}) =>
    openSealer(readConfig(environment), { path: folder.path, events: join(folder.path, 'events.sqlite') }, log)

  it('is made at the first start, for its owner only, and reused at every later one', () => {
    const sealed = open().seal('flash', secret)
    const path = keyFileOf(folder.path)
    expect((statSync(path).mode & 0o777).toString(8)).to.equal('600')
    expect(readFileSync(path, 'utf8')).to.match(/^[0-9a-f]{64}\n$/)
    expect(readdirSync(folder.path)).to.deep.equal(['secrets.key'])
    expect(open().unseal('flash', sealed)).to.deep.equal(secret)
    expect(chooseKey(readConfig({}), folder.path)).to.include({ file: path, isNew: false })
    expect(lines).to.deep.equal([])
  })

  it('comes from SECRETS_KEY or the file that it names, and then none is made', () => {
    const file = join(folder.path, 'given')
    writeFileSync(file, `${KEY}\n`)
    const sealed = new Sealer(Buffer.from(KEY, 'hex')).seal('flash', secret)
    for (const given of [{ SECRETS_KEY: KEY }, { SECRETS_KEY_FILE: file }])
      expect(open(given).unseal('flash', sealed)).to.deep.equal(secret)
    expect(readdirSync(folder.path)).to.deep.equal(['given'])
    expect(() => open({ SECRETS_KEY: KEY, SECRETS_KEY_FILE: file })).to.throw('not both')
  })

  it('is never guessed if its file holds something else, which the message does not show', () => {
    for (const text of ['', 'secret words', KEY.slice(1), `${KEY}ab`, `${KEY.slice(2)}zz`]) {
      writeFileSync(keyFileOf(folder.path), text)
      expect(open, text).to.throw(/secrets.key has no key/)
    }
    const short = KEY.slice(2)
    expect(() => open({ SECRETS_KEY: short })).to.throw(/^SECRETS_KEY has no key(?!.*abab)/)
    expect(() => open({ SECRETS_KEY_FILE: join(folder.path, 'none') })).to.throw(/^SECRETS_KEY_FILE .*ENOENT/)
  })

  it('is made again beside existing events, and the log says what is lost', () => {
    writeFileSync(join(folder.path, 'events.sqlite'), '')
    open()
    expect(lines).to.have.length(1)
    expect(lines[0]).to.include('was missing and is made anew').and.include('a key or an invitation')
  })
})
