import type { StatsFs } from 'node:fs'
import { statfs, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#packages/foundation/config/config.ts'
import type { Dependency, Warned } from '#packages/foundation/readiness/readiness.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Observation, Telemetry } from '#packages/telemetry/telemetry.ts'
import type { DataDirectory } from './data-directory.ts'

/** Bytes. */
type Space = { free: number; size: number }

/** Size of the file that is written to check whether the disk accepts writes, bytes. */
const TRIED_BYTES = 64 * 1024

/** The disk of the archive or of the media counts as full below this much free space, bytes. */
const FULL_BYTES = 1_048_576

const shown = { archive: 'the archive', media: 'the media cache' } as const

/** The free space on the disks of a process. It is measured whenever the dependency is checked. */
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

  /** Exports the values of the last check. */
  observe(telemetry: Telemetry): void {
    const told = (what: keyof Space) => (): Observation[] =>
      Array.from(this.#spaces, ([folder, space]) => ({ value: space[what], attributes: { [names.folder]: folder } }))
    telemetry.observe(metrics.diskFree, told('free'))
    telemetry.observe(metrics.diskSize, told('size'))
  }

  /** Free space alone is not enough: a quota, a limit of files or a read-only mount refuses writes too. */
  async #canBeWritten(): Promise<boolean> {
    const wrote = await writeFile(this.#tried, Buffer.alloc(TRIED_BYTES)).then(
      () => true,
      () => false,
    )
    await unlink(this.#tried).catch(() => undefined)
    return wrote
  }
}

/** Undefined if the folder does not exist yet, as before the first export. */
const spaceOf = (path: string): Promise<Space | undefined> => statfs(path).then(spaceIn, () => undefined)

type Told = Pick<StatsFs, 'bavail' | 'blocks' | 'bsize' | 'files' | 'ffree'>

/** Zero if no more files can be created, however many bytes are free. Some file systems do not count files. */
export const spaceIn = ({ bavail, blocks, bsize, files, ffree }: Told): Space => ({
  free: files > 0 && ffree === 0 ? 0 : bavail * bsize,
  size: blocks * bsize,
})
