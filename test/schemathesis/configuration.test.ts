import { expect } from 'chai'
import { configurationOf, leftOut, operationsOf } from './configuration.ts'

const document = {
  paths: {
    '/v1/things': {
      get: { operationId: 'listThings', responses: { 200: {}, 500: {}, 503: {} } },
      post: { operationId: 'makeThing', responses: { 201: {}, 500: {}, 502: {}, 504: {} } },
    },
    '/health': { get: { operationId: 'getHealth', responses: { 200: {} } } },
  },
}
const bounds = { seed: 5, maxExamples: 10, maxSteps: 4 }
const text = configurationOf(document, { key: 'ma_"x', hooks: '/a b/checks.py', files: ['film.mp4'], bounds })

describe('the configuration of schemathesis', () => {
  it('accepts 502, 503 and 504 from operations that document them, and 500 from none', () => {
    const expected = [...text.matchAll(/include-operation-id = "(\w+)"\n.*expected-statuses = (.*)\n/g)]
    expect(expected.map(([, id, statuses]) => [id, JSON.parse(statuses ?? '').slice(3)])).to.deep.equal([
      ['listThings', ['503']],
      ['makeThing', ['502', '504']],
      ['getHealth', []],
    ])
  })

  it('names every operation as schemathesis does', () => {
    expect(operationsOf(document).map(({ label }) => label)).to.deep.equal([
      'GET /v1/things',
      'POST /v1/things',
      'GET /health',
    ])
  })

  it('gives a reason for each check that it leaves out, and leaves out no other', () => {
    const off = [...text.matchAll(/checks\.(\w+)\.enabled = false/g)].map(([, name]) => name)
    expect(off).to.deep.equal(Object.keys(leftOut))
    expect(Object.values(leftOut).filter((why) => why.length < 20)).to.deep.equal([])
  })

  it('quotes its values, and can be repeated from its seed', () => {
    expect(text).to.contain('api_key = "ma_\\"x"').and.to.contain('hooks = "/a b/checks.py"')
    expect(text)
      .to.match(/^seed = 5\n/)
      .and.to.contain('max-examples = 10\n')
  })
})
