import { expect } from 'chai'
import type { EncodedRecord } from '#packages/events/format/codec.ts'
import { checksumOf } from './event-checksum.ts'
import { blockBytes, murmur3 } from './murmur3.ts'

describe('murmur3', () => {
  function of(text: string): string {
    const bytes = Buffer.alloc(text.length + blockBytes)
    bytes.write(text, 'latin1')
    return murmur3(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), text.length).toString(16)
  }

  it('computes known values of MurmurHash3_x86_128', () => {
    // From the README and the tests of murmurhash3js; the first 13 digits of 32.
    expect(of('I will not buy this record, it is scratched.')).to.equal('a0a9683b25ac5')
    expect(of("I will not buy this tobacconist's, it is scratched.")).to.equal('9b5b7ba2ef3f7')
    expect(of('')).to.equal('0')
  })
})

describe('checksumOf', () => {
  const record: EncodedRecord = {
    ...{
      stream: 'job-1',
      position: 7,
      revision: 3,
      id: 'e',
      type: 'StepStarted',
      version: 1,
      recordedAt: 1_700_000_000_000,
    },
    ...{ metadata: '{"orgId":"Ä😀"}', data: '{"step":"fetch","text":"für 20 €"}' },
  }
  const previous = 4_503_599_627_370_495

  it('changes with each bit of the texts and bytes of an event', () => {
    const seen = new Set([checksumOf(record, previous)])
    let tried = 1
    for (const held of ['stream', 'id', 'type', 'metadata', 'data'] as const)
      for (const [at, unit] of [...String(record[held])].entries())
        for (const other of [String.fromCodePoint((unit.codePointAt(0) ?? 0) ^ 1), 'ÿ', '']) {
          const units = [...String(record[held])]
          units[at] = other
          if (seen.add(checksumOf({ ...record, [held]: units.join('') }, previous))) tried++
        }
    const bytes = Buffer.from(String(record.data))
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      seen.add(checksumOf({ ...record, data: changed }, previous))
      tried++
    }
    expect(seen.size).to.equal(tried)
  })

  it('changes with each number, with the end of each text, and with the type of the data: text or bytes', () => {
    const { stream, id, data, metadata } = record
    const others: EncodedRecord[] = [
      { ...record, position: 8 },
      { ...record, revision: 4 },
      { ...record, version: 2 },
      { ...record, recordedAt: record.recordedAt + 1 },
      { ...record, stream: `${stream}${id}`, id: '' },
      { ...record, metadata: `${metadata}{`, data: String(data).slice(1) },
      { ...record, data: Buffer.from(String(data)) },
    ]
    const all = [
      checksumOf(record, previous),
      checksumOf(record, previous - 1),
      ...others.map((one) => checksumOf(one, previous)),
    ]
    expect(new Set(all).size).to.equal(all.length)
  })

  it('is the same for an event of any size, whatever was hashed before it', () => {
    const large = { ...record, data: Buffer.alloc(1_048_576, 'x') }
    const [one, other] = [checksumOf(record, previous), checksumOf(large, previous)]
    checksumOf({ ...record, data: 'y'.repeat(60_000) }, previous)
    expect([checksumOf(record, previous), checksumOf(large, previous)]).to.deep.equal([one, other])
    large.data[1_000_000] = 0
    expect(checksumOf(large, previous)).to.not.equal(other)
  })
})
