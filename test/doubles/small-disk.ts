import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { temporaryDirectory } from './temporary-directory.ts'

const run = promisify(execFile)

/** A disk that can be filled. `absent`: why there is none, where mounting is not allowed. */
export type SmallDisk = AsyncDisposable & { path: string; absent: string | undefined }

/** Mounts a file system in memory with so many bytes; disposing unmounts it. */
export async function smallDisk(bytes: number): Promise<SmallDisk> {
  const directory = await temporaryDirectory()
  const { path } = directory
  const absent = await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=0777`, 'tmpfs', path]).then(
    () => undefined,
    ({ stderr, message }: Error & { stderr?: string }) => `no file system can be mounted here: ${stderr || message}`,
  )
  return {
    path,
    absent,
    async [Symbol.asyncDispose]() {
      // Lazily: what still has a file open there keeps it, and the folder goes.
      if (absent === undefined) await run('umount', ['--lazy', path])
      await directory[Symbol.asyncDispose]()
    },
  }
}
