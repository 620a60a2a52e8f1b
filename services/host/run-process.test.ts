import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'

const runProcess = new URL('./run-process.ts', import.meta.url).href

/** A process that stays open forever, runs this work, and has 300 ms to end once it is stopped. */
function start(work: string) {
  const program = `
    import { runProcess } from '${runProcess}'
    setInterval(() => {}, 1000)
    void runProcess(${work}, 300)`
  const words = ['--import', 'tsx/esm', '--input-type=module', '-e', program]
  return spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
}

type Child = ReturnType<typeof start>

const stopped = "(stop) => new Promise((resolve) => { stop.onabort = resolve; process.send('works') })"

describe('a process that does not end by itself', () => {
  const signal = (child: Child): void => void child.kill('SIGTERM')
  for (const [what, work, stop] of [
    ['a signal', "() => new Promise(() => process.send('works'))", signal],
    ['the end of what supervises it', "() => new Promise(() => process.send('works'))", (child) => child.disconnect()],
    ['a signal, also where its work has ended and left something open', stopped, signal],
  ] as [string, string, (child: Child) => void][])
    it(`is ended with 1 some time after ${what}, and says so`, async () => {
      const child = start(work)
      const said = text(child.stderr as NonNullable<typeof child.stderr>)
      await once(child, 'message')
      stop(child)
      expect((await once(child, 'exit'))[0]).to.equal(1)
      expect(await said).to.contain('has not ended within 0.3 s')
    })

  it('ends in order after Ctrl-C, which comes twice: from the terminal and from npm', async () => {
    const slow = `(stop) => new Promise((resolve) => {
      stop.onabort = () => {
        process.send('stops')
        process.once('message', () => process.send('ended', resolve))
      }
      process.send('works')
    })`
    const child = start(slow)
    await once(child, 'message')
    child.kill('SIGINT')
    expect((await once(child, 'message'))[0]).to.equal('stops')
    child.kill('SIGINT')
    child.send('end')
    const [said] = await Promise.race([once(child, 'message'), once(child, 'exit')])
    expect(said).to.equal('ended')
    await once(child, 'exit')
  })

  it('is ended with 0 soon after its work, if the work gave up waiting for something still open', async () => {
    const child = start('async (_stop, gaveUp) => gaveUp()')
    const said = text(child.stderr as NonNullable<typeof child.stderr>)
    expect((await once(child, 'exit'))[0]).to.equal(0)
    expect(await said).to.equal('')
  })
})
