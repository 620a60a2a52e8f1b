import { spawn } from 'node:child_process'

/** Other programs on the machine: each uses all of a core that it gets. Disposing ends them. */
export function startBusyLoops(count: number): Disposable {
  const loops = Array.from({ length: count }, () => spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }))
  return {
    [Symbol.dispose]() {
      for (const loop of loops) loop.kill('SIGKILL')
    },
  }
}
