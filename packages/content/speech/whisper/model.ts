import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat, utimes } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'

/** A model of the store, or of a folder. */
export type WhisperModel = {
  readonly name: string
  /** The beginning of the hash of its weights: another model with the same name makes other transcripts. */
  readonly version: string
  readonly folder: string
  /** Size of model.bin. */
  readonly bytes: number
  /** Checks the files, by hash once a day. @throws StepError transient `internal_error` if they changed */
  assertWhole(): Promise<void>
}

type Pin = { bytes: number; sha256: string }
type Pins = Record<string, Pin>

const DAY_MS = 24 * 60 * 60 * 1000
const FILES = ['model.bin', 'config.json', 'tokenizer.json']

/** The model cannot be used. The message says why and what to do. */
export class ModelProblem extends Error {}

export type ModelOptions = {
  /** The model store that ops/setup fills (ops/speech/bring_model.py). */
  store: string
  /** A name in the store, or the absolute path of a folder. Undefined: the latest that ops/setup brought. */
  name: string | undefined
  clock: Clock
  log: Logger
}

/**
 * Opens a model. Its files must have the recorded sizes, and have passed a check in the last day, or are hashed.
 * @throws ModelProblem
 */
export async function openModel({ store, name: asked, clock, log }: ModelOptions): Promise<WhisperModel> {
  const name = asked ?? (await chosenIn(store))
  if (name === 'none') throw new ModelProblem('ops/setup was told to bring no model: run ops/setup --speech-model base')
  const folder = isAbsolute(name) ? name : join(store, name)
  const { pins, verifiedAt } = await pinsOf(folder, name, clock)
  let checkedAt = verifiedAt

  /** The problem with the files, if any. */
  async function problem(): Promise<string | undefined> {
    const isDue = clock.now() - checkedAt > DAY_MS
    for (const [file, pin] of Object.entries(pins)) {
      const path = join(folder, file)
      if ((await sizeOf(path)) !== pin.bytes) return `${file} is not ${pin.bytes} bytes long`
      if (isDue && (await hashOf(path)) !== pin.sha256) return `${file} has another hash than was written down`
    }
    if (isDue) {
      checkedAt = clock.now()
      // in an image the store is read-only: then each start hashes again
      await utimes(join(folder, '.verified'), checkedAt / 1000, checkedAt / 1000).catch(() => {})
    }
    return undefined
  }

  const found = await problem()
  if (found !== undefined) throw new ModelProblem(`the model ${name} is damaged (${found}): run ops/setup`)
  const weights = pins['model.bin'] as Pin
  return {
    name: basename(name),
    version: weights.sha256.slice(0, 8),
    folder,
    bytes: weights.bytes,
    async assertWhole() {
      const reason = await problem()
      if (reason === undefined) return
      log.error({ model: name, reason }, 'the speech model is damaged: run ops/setup, then start the service again')
      throw new StepError('internal_error', { transient: true, message: `The speech model is damaged: ${reason}` })
    },
  }
}

async function chosenIn(store: string): Promise<string> {
  try {
    return (await readFile(join(store, 'chosen'), 'utf8')).trim()
  } catch {
    throw new ModelProblem('no model is there: run ops/setup')
  }
}

/** The recorded sizes and hashes of a model's files. For a folder that ops/setup does not know: their present ones. */
async function pinsOf(folder: string, name: string, clock: Clock): Promise<{ pins: Pins; verifiedAt: number }> {
  try {
    const { files } = JSON.parse(await readFile(join(folder, 'model.json'), 'utf8')) as { files: Pins }
    return { pins: files, verifiedAt: await stampOf(folder) }
  } catch {
    if (!isAbsolute(name))
      throw new ModelProblem(`the model ${name} is not there: run ops/setup --speech-model ${name}`)
  }
  const hasText = (await sizeOf(join(folder, 'vocabulary.txt'))) !== undefined
  const files = [...FILES, hasText ? 'vocabulary.txt' : 'vocabulary.json']
  const pins: Pins = {}
  for (const file of files) {
    const path = join(folder, file)
    const bytes = await sizeOf(path)
    if (bytes === undefined) throw new ModelProblem(`${folder} is no Whisper model in CTranslate2's format: no ${file}`)
    pins[file] = { bytes, sha256: await hashOf(path) }
  }
  return { pins, verifiedAt: clock.now() }
}

/** When the last check found every file intact, milliseconds since 1970. 0 without a stamp. */
const stampOf = async (folder: string): Promise<number> => {
  try {
    return (await stat(join(folder, '.verified'))).mtimeMs
  } catch {
    return 0
  }
}

const sizeOf = async (path: string): Promise<number | undefined> => {
  try {
    return (await stat(path)).size
  } catch {
    return undefined
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash)
  return hash.digest('hex')
}
