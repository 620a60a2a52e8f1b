import { expect } from 'chai'
import { fairSemaphore } from './fair-semaphore.ts'

const signal = new AbortController().signal

describe('a fair semaphore', () => {
  /** Asks for a place for each name, whose first letter is its share; `open` are the places that were given. */
  const setting = (count: number) => {
    const semaphore = fairSemaphore(count, 100)
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

  it('never give all places to one share', async () => {
    const s = setting(3)
    expect(await s.asked('a1', 'a2', 'a3', 'a4')).to.deep.equal(['a1', 'a2'])
    expect(await s.asked('b1')).to.deep.equal(['a1', 'a2', 'b1'])
  })

  it('give one share half of the places, and one that says so what it says', async () => {
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

  it('are given to the share that has the fewest, and within it in order', async () => {
    const s = setting(3)
    expect(await s.asked('a1', 'a2', 'b1', 'a3', 'b2', 'c1', 'c2')).to.deep.equal(['a1', 'a2', 'b1'])
    expect(await s.ended('a1')).to.deep.equal(['a2', 'b1', 'c1'])
    expect(await s.ended('a2')).to.deep.equal(['b1', 'c1', 'a3'])
    // each has one then: the first of those who wait
    expect(await s.ended('a3')).to.deep.equal(['b1', 'c1', 'b2'])
  })

  it('are one for all where there is only one', async () => {
    const s = setting(1)
    expect(await s.asked('a1', 'a2', 'b1')).to.deep.equal(['a1'])
    expect(await s.ended('a1')).to.deep.equal(['a2'])
    expect(await s.ended('a2')).to.deep.equal(['b1'])
  })

  it('forget who gives up waiting', async () => {
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
