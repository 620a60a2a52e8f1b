import { createHash } from 'node:crypto'
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { ModelProblem, openModel } from './model.ts'

const DAY = 24 * 3600 * 1000
const files = { 'model.bin': 'weights', 'config.json': '{}', 'tokenizer.json': '{}', 'vocabulary.txt': 'a' }
const pin = (text: string) => ({ bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') })

describe('a speech model', () => {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>
  let now = 0
  beforeEach(async () => {
    directory = await temporaryDirectory()
    now = Date.now()
    const folder = join(directory.path, 'mine')
    await mkdir(folder)
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    const pins = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, pin(text)]))
    await writeFile(join(folder, 'model.json'), JSON.stringify({ files: pins }))
    await writeFile(join(folder, '.verified'), '')
  })
  afterEach(() => directory[Symbol.asyncDispose]())

  const clock = { now: () => now, sleep: async () => {} }
  const open = (name?: string) => openModel({ store: directory.path, name, clock, log: keptLog().log })
  const messageOf = async (opening: Promise<unknown>) => (await failureOf<Error>(opening)).message
  const at = (name: string) => join(directory.path, 'mine', name)

  it('is the latest that ops/setup brought, or the named one, by the hash of its weights', async () => {
    expect(await failureOf(open()))
      .to.be.instanceOf(ModelProblem)
      .with.property('message')
      .that.contains('run ops/setup')
    await writeFile(join(directory.path, 'chosen'), 'mine\n')
    const { name, version, bytes } = await open()
    expect({ name, version, bytes }).to.deep.equal({
      name: 'mine',
      version: pin('weights').sha256.slice(0, 8),
      bytes: 7,
    })
    expect(await messageOf(open('small'))).to.contain('--speech-model small')
    await writeFile(join(directory.path, 'chosen'), 'none\n')
    expect(await failureOf(open())).to.be.instanceOf(ModelProblem)
  })

  it('is checked by size each time, and by hash once a day or if the stamp is missing', async () => {
    const model = await open('mine')
    await writeFile(at('model.bin'), 'Weights')
    await model.assertWhole()
    now += DAY + 60_000
    expect(await failureOf(model.assertWhole())).to.include({ code: 'internal_error', transient: true })
    await writeFile(at('model.bin'), 'weights')
    await model.assertWhole()
    await writeFile(at('config.json'), '{ }')
    expect(await failureOf(model.assertWhole())).to.include({ code: 'internal_error' })
    await writeFile(at('config.json'), '[]')
    await utimes(at('.verified'), 1, 1)
    expect(await messageOf(open('mine'))).to.contain('config.json')
    await writeFile(at('config.json'), '{}')
    await rm(at('.verified'))
    await open('mine')
  })

  it('may be a folder that ops/setup does not know', async () => {
    await rm(at('model.json'))
    expect(await open(join(directory.path, 'mine'))).to.include({ name: 'mine', bytes: 7 })
    await rm(at('vocabulary.txt'))
    expect(await messageOf(open(join(directory.path, 'mine')))).to.contain('vocabulary')
  })
})
