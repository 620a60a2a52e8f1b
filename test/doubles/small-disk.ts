import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { leaveOut } from '#test/runner/left-out.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const run = promisify(execFile)

/** In a mount namespace of its own, so that nothing remains on this machine. */
const tried = ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']

/** Tests that need a disk that they can fill. They are left out if mounting is not allowed. */
export function withSmallDisk(body: () => void): void {
  const { status, stderr } = spawnSync('unshare', tried, { encoding: 'utf8' })
  if (status === 0) body()
  else leaveOut({ needs: 'a small disk', why: `no file system can be mounted here: ${stderr?.trim()}` }, body)
}

/** Mounts a file system of this many bytes in memory, for a test to fill. Disposing unmounts it. */
export async function smallDisk(bytes: number): Promise<{ path: string } & AsyncDisposable> {
  const directory = await temporaryDirectory()
  const { path } = directory
  await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=0777`, 'tmpfs', path])
  return {
    path,
    async [Symbol.asyncDispose]() {
      // A lazy unmount: open files there still work, and the folder disappears.
      await run('umount', ['--lazy', path])
      await directory[Symbol.asyncDispose]()
    },
  }
}
