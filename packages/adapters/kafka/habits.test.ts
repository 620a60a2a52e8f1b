import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

describe('the Kafka adapter', () => {
  const files = globSync('packages/adapters/kafka/*.ts').filter((path) => !path.endsWith('.test.ts'))
  const source = files.map((path) => readFileSync(path, 'utf8')).join('\n')

  it('uses no transactions, which may be left half done, and sets no offsets, which takes seconds', () => {
    expect(files.length).to.be.greaterThan(8)
    expect(source).to.not.match(/transaction(alId)?\b\s*[(:]/)
    expect(source).to.not.match(/\bsetOffsets\b|\bresetOffsets\b/)
  })

  it('uses no topic that it has not created', () => {
    expect(source.match(/\.(producer|consumer)\(/g)?.length).to.equal(3)
    expect(source.match(/allowAutoTopicCreation: false/g)?.length).to.equal(3)
  })
})
