import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** Where the embedded mode keeps what. */
export type DataDirectory = { path: string; events: string; views: string; media: string; temporary: string }

/** Makes the directory, readable by its owner only, with the folders in it. */
export async function openDataDirectory(dataDir: string): Promise<DataDirectory> {
  const path = resolve(dataDir)
  const media = join(path, 'media')
  const temporary = join(path, 'tmp')
  for (const folder of [path, media, temporary]) await mkdir(folder, { recursive: true, mode: 0o700 })
  return { path, events: join(path, 'events.sqlite'), views: join(path, 'views.sqlite'), media, temporary }
}

/** Removes what a killed process left behind. Only for the holder of the directory's lock. */
export async function clearTemporary({ temporary }: DataDirectory): Promise<void> {
  await rm(temporary, { recursive: true, force: true })
  await mkdir(temporary, { mode: 0o700 })
}
