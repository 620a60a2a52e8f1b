import { expect } from 'chai'
import fc from 'fast-check'
import { SharedMap } from './shared-map.ts'

describe('SharedMap', () => {
  const key = fc.integer({ min: 0, max: 30 })
  const change = fc.oneof(
    fc.record({ type: fc.constant('set' as const), key, value: fc.integer() }),
    fc.record({ type: fc.constant('delete' as const), key }),
    fc.record({ type: fc.constant('copy' as const) }),
  )

  it('holds what a Map would after the same changes, and every copy keeps its content', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 300 }), (changes) => {
        let shared = new SharedMap<number, number>(new Map([[0, 0]]))
        const plain = new Map([[0, 0]])
        const copied: { of: SharedMap<number, number>; was: [number, number][] }[] = []
        for (const one of changes) {
          if (one.type === 'delete') {
            shared.delete(one.key)
            plain.delete(one.key)
          } else if (one.type === 'set') {
            shared.set(one.key, one.value)
            plain.delete(one.key)
            plain.set(one.key, one.value)
          } else {
            copied.push({ of: shared, was: [...plain] })
            shared = new SharedMap(shared)
          }
          expect([shared.size, shared.has(3), shared.get(3)]).to.deep.equal([plain.size, plain.has(3), plain.get(3)])
        }
        copied.push({ of: shared, was: [...plain] })
        for (const { of, was } of copied) {
          expect([...of].sort()).to.deep.equal(was.sort())
          expect([...of.keys()].sort()).to.deep.equal(was.map(([each]) => each).sort())
          expect([...of.values()].sort()).to.deep.equal(was.map(([, value]) => value).sort())
        }
      }),
      { numRuns: 100 },
    )
  })

  it('has the newest entries last, even after many changes', () => {
    let map = new SharedMap<number, number>(new Map())
    for (let n = 0; n < 500; n++) {
      map = new SharedMap(map)
      map.set(n, n)
      map.delete(n - 200)
    }
    expect([...map.keys()]).to.deep.equal(Array.from({ length: 200 }, (_, n) => n + 300))
  })

  it('does not change with the map that it was copied from', () => {
    const from = new Map([[1, 1]])
    const map = new SharedMap(from)
    from.set(2, 2)
    expect(map.size).to.equal(1)
  })

  it('becomes an object in JSON', () => {
    const map = new SharedMap(new Map([['a', 1]]))
    map.set('b', 2)
    expect(JSON.stringify({ map })).to.equal('{"map":{"a":1,"b":2}}')
  })
})
