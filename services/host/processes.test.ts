import { expect } from 'chai'
import { partsOf, processes, processName } from './processes.ts'
import { partNames } from './serve.ts'

describe('the processes of the distributed mode', () => {
  it('serve every part, each in one of them', () => {
    expect(processes.flat().sort()).to.deep.equal([...partNames].sort())
  })

  it('are named by their parts, which a list gives in any order', () => {
    expect(partsOf('fetch,caption')).to.deep.equal(['fetch', 'caption'])
    expect(processName(partsOf('caption,fetch') ?? [])).to.equal('fetch-caption')
    expect(partsOf('ingress')).to.deep.equal(['ingress'])
  })

  it('are none where a part is unknown, missing or there twice', () => {
    for (const list of ['', 'fetch,', 'fetch,fetch', 'fetch,nothing', 'fetch caption'])
      expect(partsOf(list), list).to.equal(undefined)
  })
})
