import { expect } from 'chai'
import { partsOf, processes, processesOf, processName } from './processes.ts'
import { partNames } from './serve.ts'

describe('the processes of the distributed mode', () => {
  it('serve every part, each in exactly one process', () => {
    expect(processes.flat().sort()).to.deep.equal([...partNames].sort())
  })

  it('are named by their parts, in any order', () => {
    expect(partsOf('fetch,caption')).to.deep.equal(['fetch', 'caption'])
    expect(processName(partsOf('caption,fetch') ?? [])).to.equal('fetch-caption')
    expect(partsOf('ingress')).to.deep.equal(['ingress'])
  })

  it('are refused if a part is unknown, missing or listed twice', () => {
    for (const list of ['', 'fetch,', 'fetch,fetch', 'fetch,nothing', 'fetch caption'])
      expect(partsOf(list), list).to.equal(undefined)
  })

  it('can be chosen by lists that name every part once', () => {
    expect(processesOf([])).to.equal(processes)
    const others = partNames.filter((name) => name !== 'ingress')
    expect(processesOf(['ingress', others.join()])).to.deep.equal([['ingress'], others])
    for (const lists of [['ingress'], [partNames.join(), 'ingress'], ['nothing', others.join()]])
      expect(() => processesOf(lists), lists.join(' ')).to.throw('name each service once')
  })
})
