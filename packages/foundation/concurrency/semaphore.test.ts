import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { Semaphore } from './semaphore.ts'

const signal = new AbortController().signal

describe('the permits of a semaphore', () => {
  /** Requests a permit for each name (first letter: its share); `open` holds the names with a permit. */
  const setting = (count: number, lends = false) => {
    const semaphore = new Semaphore(count, { lends })
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
    const semaphore = new Semaphore(8)
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
    // Then each share has one permit, so the next goes to the first that waits.
    expect(await s.ended('a3')).to.deep.equal(['b1', 'c1', 'b2'])
  })

  it('alternate among the shares if there is only one, however many callers of one share wait', async () => {
    const s = setting(1)
    expect(await s.asked('z', 'a1', 'a2', 'a3', 'b1', 'c1', 'b2')).to.deep.equal(['z'])
    const order: string[] = []
    for (let name: string | undefined = 'z'; name; [name] = await s.ended(name)) order.push(name)
    expect(order).to.deep.equal(['z', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('go to another share first, even if the one that returns its permit has waited longer with more', async () => {
    const s = setting(1)
    await s.asked('z0', 'z1', 'z2', 'b1')
    expect(await s.ended('z0')).to.deep.equal(['b1'])
    expect(await s.ended('b1')).to.deep.equal(['z1'])
  })

  it('go in order to callers without a share', async () => {
    const semaphore = new Semaphore(1)
    const order: string[] = []
    const take = async (name: string): Promise<void> => {
      using _permit = await semaphore.acquire()
      order.push(`${name} begins`)
      await new Promise(setImmediate)
      order.push(`${name} ends`)
    }
    await Promise.all(['a', 'b', 'c'].map(take))
    expect(order).to.deep.equal(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]))
  })

  it('are refused at once to a caller that will not wait, even for several at a time', () => {
    const semaphore = new Semaphore(4)
    const ofOne = [{ name: 'a', most: 3 }]
    expect(semaphore.tryAcquire(ofOne, 4)).to.equal(undefined)
    const three = semaphore.tryAcquire(ofOne, 3)
    expect(semaphore.heldBy('a')).to.equal(3)
    expect(semaphore.tryAcquire(ofOne)).to.equal(undefined)
    expect(semaphore.tryAcquire([], 2)).to.equal(undefined)
    three?.[Symbol.dispose]()
    three?.[Symbol.dispose]()
    expect(semaphore.heldBy('a')).to.equal(0)
    expect(semaphore.tryAcquire([], 4)).to.not.equal(undefined)
    expect(semaphore.tryAcquire()).to.equal(undefined)
  })

  it('are waited for by a limited number; one more is refused with the given error', async () => {
    const semaphore = new Semaphore(1, { maxWaiting: 1, tooMany: () => new Error('full') })
    await semaphore.acquire(signal, ['a'])
    const end = new AbortController()
    const waiting = semaphore.acquire(end.signal, ['b']).catch((reason) => reason)
    expect((await semaphore.acquire(signal, ['c']).catch((error) => error)).message).to.equal('full')
    end.abort('over')
    expect(await waiting).to.equal('over')
  })

  it('are given up by all callers that wait with one signal, which keeps no listener', async () => {
    const semaphore = new Semaphore(1)
    const first = await semaphore.acquire()
    const end = new AbortController()
    const waiting = Array.from({ length: 3 }, () => semaphore.acquire(end.signal).catch((reason) => reason))
    expect(getEventListeners(end.signal, 'abort')).to.have.length(1)
    end.abort('over')
    expect(await Promise.all(waiting)).to.deep.equal(['over', 'over', 'over'])
    const later = new AbortController()
    const again = semaphore.acquire(later.signal)
    first[Symbol.dispose]()
    await again
    for (const each of [end, later]) expect(getEventListeners(each.signal, 'abort')).to.have.length(0)
  })

  it('skip callers that gave up', async () => {
    const semaphore = new Semaphore(1, { maxWaiting: 1 })
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
