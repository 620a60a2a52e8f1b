import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'

const runProcess = new URL('./run-process.ts', import.meta.url).href

/** A process whose work waits for ever and ignores the signal to stop. */
function start() {
  const program = `
    import { runProcess } from '${runProcess}'
    setInterval(() => {}, 1000)
    void runProcess(() => new Promise(() => process.send('works')), 300)`
  const words = ['--import', 'tsx', '--input-type=module', '-e', program]
  return spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
}

describe('a process that does not end by itself', function () {
  this.timeout(20_000)

  for (const [what, stop] of [
    ['a signal', (child: ReturnType<typeof start>) => void child.kill('SIGTERM')],
    ['the end of what supervises it', (child: ReturnType<typeof start>) => child.disconnect()],
  ] as const)
    it(`is ended with 1 some time after ${what}, and says so`, async () => {
      const child = start()
      const said = text(child.stderr as NonNullable<typeof child.stderr>)
      await once(child, 'message')
      stop(child)
      expect((await once(child, 'exit'))[0]).to.equal(1)
      expect(await said).to.contain('has not ended within 0.3 s')
    })
})
