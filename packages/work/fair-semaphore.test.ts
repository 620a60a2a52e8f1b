import { expect } from 'chai'
import { fairSemaphore } from './fair-semaphore.ts'

const signal = new AbortController().signal

describe('the permits of a fair semaphore', () => {
  /** Requests a permit for each name (first letter: its share); `open` holds the names with a permit. */
  const setting = (count: number, lends = false) => {
    const semaphore = fairSemaphore(count, 100, lends)
    const open = new Map<string, Disposable>()
    const ask = (name: string) =>
      void semaphore.acquire(signal, [name.slice(0, 1)]).then((place) => open.set(name, place))
    const settled = () => new Promise(setImmediate)
    return {
      async asked(...names: string[]) {
        for (const name of names) ask(name)
        await settled()
        return [...open.keys()]
      },
      async ended(name: string) {
        open.get(name)?.[Symbol.dispose]()
        open.delete(name)
        await settled()
        return [...open.keys()]
      },
    }
  }

  it('are never all held by one share', async () => {
    const s = setting(3)
    expect(await s.asked('a1', 'a2', 'a3', 'a4')).to.deep.equal(['a1', 'a2'])
    expect(await s.asked('b1')).to.deep.equal(['a1', 'a2', 'b1'])
  })

  it('go to one share up to half, or up to its stated maximum', async () => {
    const s = setting(8)
    expect(await s.asked('a1', 'a2', 'a3', 'a4', 'a5', 'a6')).to.deep.equal(['a1', 'a2', 'a3', 'a4'])
    const semaphore = fairSemaphore(8, 100)
    const few = [{ name: 'a', most: 2 }]
    const first = await semaphore.acquire(signal, few)
    await semaphore.acquire(signal, few)
    let third = false
    const waiting = semaphore.acquire(signal, few).then(() => {
      third = true
    })
    await semaphore.acquire(signal, [{ name: 'b', most: 2 }])
    expect(third).to.equal(false)
    first[Symbol.dispose]()
    await waiting
  })

  it('go to one share beyond its half while no other waits, if they are lent', async () => {
    const s = setting(4, true)
    expect(await s.asked('a1', 'a2', 'a3', 'a4', 'a5', 'a6')).to.deep.equal(['a1', 'a2', 'a3', 'a4'])
    expect(await s.asked('b1', 'b2', 'b3')).to.deep.equal(['a1', 'a2', 'a3', 'a4'])
    expect(await s.ended('a1')).to.deep.equal(['a2', 'a3', 'a4', 'b1'])
    expect(await s.ended('a2')).to.deep.equal(['a3', 'a4', 'b1', 'b2'])
    expect(await s.ended('a3')).to.deep.equal(['a4', 'b1', 'b2', 'a5'])
  })

  it('go to the share with the fewest, in order within it', async () => {
    const s = setting(3)
    expect(await s.asked('a1', 'a2', 'b1', 'a3', 'b2', 'c1', 'c2')).to.deep.equal(['a1', 'a2', 'b1'])
    expect(await s.ended('a1')).to.deep.equal(['a2', 'b1', 'c1'])
    expect(await s.ended('a2')).to.deep.equal(['b1', 'c1', 'a3'])
    // Then each share has one: the first that waits is next.
    expect(await s.ended('a3')).to.deep.equal(['b1', 'c1', 'b2'])
  })

  it('may all go to one share if there is only one permit', async () => {
    const s = setting(1)
    expect(await s.asked('a1', 'a2', 'b1')).to.deep.equal(['a1'])
    expect(await s.ended('a1')).to.deep.equal(['a2'])
    expect(await s.ended('a2')).to.deep.equal(['b1'])
  })

  it('skip callers that gave up', async () => {
    const semaphore = fairSemaphore(1, 1)
    const first = await semaphore.acquire(signal, ['a'])
    const hasty = new AbortController()
    const waiting = semaphore.acquire(hasty.signal, ['a']).catch((reason) => reason)
    hasty.abort('gone')
    expect(await waiting).to.equal('gone')
    const second = semaphore.acquire(signal, ['b'])
    first[Symbol.dispose]()
    await second
  })
})
