import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { decodedBytes, encodedBytes } from './encoded-bytes.ts'

describe('the size of an encoded event', () => {
  it('is known before it is decoded, even if it is compressed', () => {
    const json = JSON.stringify({ text: 'and then '.repeat(200_000) })
    const inTheMiddle = Buffer.concat([Buffer.alloc(3), gzipSync(json), Buffer.alloc(3)]).subarray(3, -3)
    expect(encodedBytes({ data: inTheMiddle, metadata: '{}' })).to.be.below(json.length / 100)
    expect(decodedBytes({ data: inTheMiddle, metadata: '{}' })).to.equal(json.length + 2)
    expect(decodedBytes({ data: json, metadata: '{}' })).to.equal(json.length + 2)
    expect(decodedBytes({ data: new Uint8Array(2), metadata: '' })).to.equal(2)
  })
})
