import type { StatsFs } from 'node:fs'
import { statfs, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#packages/config/config.ts'
import type { Dependency, Warned } from '#packages/readiness/readiness.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Observation, Telemetry } from '#packages/telemetry/telemetry.ts'
import type { DataDirectory } from './data-directory.ts'

/** Bytes. */
type Space = { free: number; size: number }

/** What is written to see whether anything can be, bytes. */
const TRIED_BYTES = 64 * 1024

/** With less free space than this the disk of the archive or of the media counts as full, bytes. */
const FULL_BYTES = 1_048_576

const shown = { archive: 'the archive', media: 'the media cache' } as const

/** How much room the disks of a process have. It is measured whenever the dependency is looked at. */
export class DiskSpace implements Warned {
  readonly #folders: ReadonlyMap<string, string>
  readonly #tried: string
  #spaces: ReadonlyMap<string, Space> = new Map()

  constructor({ exportDir }: Pick<Config, 'exportDir'>, { path, media, temporary }: DataDirectory) {
    this.#folders = new Map([
      ['data', path],
      ['media', media],
      ...(exportDir === undefined ? [] : [['archive', exportDir] as const]),
    ])
    this.#tried = join(temporary, `room.${process.pid}`)
  }

  get dependency(): Dependency {
    return { name: 'the disk', look: () => this.#look() }
  }

  async #look(): Promise<string | undefined> {
    const spaces = await Promise.all(
      [...this.#folders].map(async ([name, path]) => [name, await spaceOf(path)] as const),
    )
    this.#spaces = new Map(spaces.flatMap(([name, space]) => (space ? [[name, space]] : [])))
    return (await this.#canBeWritten()) ? undefined : 'the disk of DATA_DIR is full, or fails'
  }

  get warnings() {
    return Object.entries(shown).flatMap(([folder, name]) => {
      const space = this.#spaces.get(folder)
      if (space === undefined || space.free >= FULL_BYTES) return []
      return { code: 'disk_full', message: `The disk of ${name} is full.` }
    })
  }

  /** Exports what the last look has measured. */
  observe(telemetry: Telemetry): void {
    const told = (what: keyof Space) => (): Observation[] =>
      Array.from(this.#spaces, ([folder, space]) => ({ value: space[what], attributes: { [names.folder]: folder } }))
    telemetry.observe(metrics.diskFree, told('free'))
    telemetry.observe(metrics.diskSize, told('size'))
  }

  /** Free space alone does not tell: a quota, a limit of files and a disk that was mounted for reading refuse writes too. */
  async #canBeWritten(): Promise<boolean> {
    const wrote = await writeFile(this.#tried, Buffer.alloc(TRIED_BYTES)).then(
      () => true,
      () => false,
    )
    await unlink(this.#tried).catch(() => undefined)
    return wrote
  }
}

/** Undefined where there is no such folder yet, such as that of the first export. */
const spaceOf = (path: string): Promise<Space | undefined> => statfs(path).then(spaceIn, () => undefined)

type Told = Pick<StatsFs, 'bavail' | 'blocks' | 'bsize' | 'files' | 'ffree'>

/** Where no more files can be made there is no room, however many bytes are free. Some file systems do not count files. */
export const spaceIn = ({ bavail, blocks, bsize, files, ffree }: Told): Space => ({
  free: files > 0 && ffree === 0 ? 0 : bavail * bsize,
  size: blocks * bsize,
})
