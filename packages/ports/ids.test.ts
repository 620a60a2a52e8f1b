import { expect } from 'chai'
import { eventId, keyIdOf, sha256, uuidFrom } from './ids.ts'

describe('ids that are computed from their parts', () => {
  // Stored events have these ids permanently. The npm package `uuid` 14 made the expected values.
  it('are UUIDs of version 5 in our namespace, from the parts as JSON', () => {
    expect(uuidFrom('a', 1)).to.equal('f08f681d-7899-511e-b325-405b263fdd02')
    expect(uuidFrom('org-ü', 'POST /v1/transcript', '😀', 0)).to.equal('98e03f48-b842-5b3b-9611-44a6d2490b40')
    expect(keyIdOf('00')).to.equal('866a5a4e-fa46-5636-9657-57abb756b19a')
    expect(eventId('job-1', 'fetch/1/VideoFetched', { a: [1, 'x'], b: null })).to.equal(
      '60397e29-e3cf-51ab-9802-213169158700',
    )
    expect(uuidFrom('ü'.repeat(2000))).to.equal('af948f0d-e3d5-56e0-b67b-1c3a4e809efa')
    expect(sha256('ü')).to.equal('607474ca475a9724d7360aba71a56d5df77e61350e3f724cfa1f46e857e2d85f')
  })

  it('always have their version and variant', () => {
    const ids = Array.from({ length: 200 }, (_, n) => uuidFrom(n))
    for (const id of ids) expect(id).to.match(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(new Set(ids).size).to.equal(200)
  })
})
