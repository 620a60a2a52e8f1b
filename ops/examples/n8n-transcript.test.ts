import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { endJob, type JobEnd } from '#test/doubles/ingress/ended-job.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import workflow from './n8n-transcript.json' with { type: 'json' }

type Json = Record<string, unknown>
type Node = { name: string; type: string; parameters: Json; credentials?: Json }
const nodes = workflow.nodes as Node[]

const nodeOf = (name: string): Node => {
  const found = nodes.find((node) => node.name === name)
  if (found === undefined) throw new Error(`there is no node ${name}`)
  return found
}

/** The input of a node: the item that it receives, and the results of the earlier nodes by their names. */
type State = { item: Json; results: Map<string, Json>; resumeUrl: string }

/** A value of a parameter as n8n computes it: after `=`, what is between `{{` and `}}` is JavaScript. */
function computed(parameter: unknown, { item, results, resumeUrl }: State): unknown {
  if (typeof parameter !== 'string' || !parameter.startsWith('=')) return parameter
  const result = (name: string) => ({ first: () => ({ json: results.get(name) }) })
  const compute = (code: string): unknown =>
    new Function('$json', '$execution', '$', `return (${code})`)(item, { id: '7', resumeUrl }, result)
  const template = parameter.slice(1)
  const [whole, code = ''] = /^\{\{(.*)\}\}$/s.exec(template) ?? []
  if (whole !== undefined && !code.includes('}}')) return compute(code)
  return template.replace(/\{\{(.*?)\}\}/gs, (_, code: string) => String(compute(code)))
}

const set = ({ parameters }: Node, state: State): Json =>
  Object.fromEntries(
    (parameters.assignments as { assignments: { name: string; value: string }[] }).assignments.map(
      ({ name, value }) => [name, computed(value, state)],
    ),
  )

describe('the workflow for n8n', () => {
  const ingress = openedForAll(() => startIngress({ clock }))

  /** Sends the request of an HTTP node, with the header of its credential. The answer is checked against openapi.json. */
  async function send({ parameters, credentials }: Node, state: State, key: string): Promise<Json> {
    expect(parameters).to.include({ authentication: 'genericCredentialType', genericAuthType: 'httpHeaderAuth' })
    expect(Object.keys(credentials ?? {})).to.deep.equal(['httpHeaderAuth'])
    const given = (parameters.headerParameters as { parameters: { name: string; value: string }[] } | undefined)
      ?.parameters
    const headers = Object.fromEntries((given ?? []).map(({ name, value }) => [name, String(computed(value, state))]))
    const body = parameters.sendBody === true ? { json: JSON.parse(String(computed(parameters.jsonBody, state))) } : {}
    const address = String(computed(parameters.url, state))
    expect(address.startsWith(`${ingress.base}/v1/`), address).to.equal(true)
    const path = address.slice(ingress.base.length)
    const answer = await ingress.call(String(parameters.method), path, { key, headers, ...body })
    expect(answer.status, answer.text).to.be.lessThan(300)
    return answer.body
  }

  it('has no key in it, and leads from its start to a transcript or an error', () => {
    expect(JSON.stringify(workflow)).to.not.match(/ma_|whsec_|x-api-key/i)
    const names = nodes.map(({ name }) => name)
    const links = Object.entries(workflow.connections).flatMap(([from, { main }]) =>
      main.flatMap((outputs) => outputs.map(({ node }) => [from, node])),
    )
    expect(links.flat().filter((name) => !names.includes(name))).to.deep.equal([])
    const reached = new Set(['Start'])
    for (const [from = '', to = ''] of links) if (reached.has(from)) reached.add(to)
    expect([...reached].sort()).to.deep.equal(names.sort())
    expect([...new Set(nodes.map(({ type }) => type.replace(/^n8n-nodes-base\./, '')))].sort()).to.deep.equal([
      ...['httpRequest', 'if', 'manualTrigger', 'set', 'stopAndError', 'wait'],
    ])
    expect(nodeOf('Wait for its end').parameters).to.include({ resume: 'webhook', httpMethod: 'POST' })
  })

  const ends: [string, JobEnd, 0 | 1][] = [
    ['a transcript', { segments: [{ start: 0, end: 2, text: 'Welcome.' }] }, 0],
    ['the error of a job that failed', { code: 'no_speech', message: 'Nobody speaks.' }, 1],
  ]
  for (const [title, end, branch] of ends)
    it(`makes requests that the service answers, and ends with ${title}`, async () => {
      const acme = await ingress.org()
      await acme.post('/v1/webhooks/secret', {})
      const resumeUrl = 'https://n8n.example.com/webhook-waiting/7?signature=abc'
      const state: State = { item: {}, results: new Map(), resumeUrl }
      const input = set(nodeOf('Service and video'), state)
      expect(Object.keys(input)).to.deep.equal(['baseUrl', 'url'])
      state.item = { ...input, baseUrl: ingress.base, url: 'https://cdn.example.com/film.mp4' }
      state.results.set('Service and video', state.item)
      const requested = await send(nodeOf('Request the transcript'), state, acme.key)
      state.results.set('Request the transcript', requested)
      await endJob(ingress, String(requested.jobId), end)
      // The message: it wakes the workflow, and nothing of it is used.
      state.item = { body: {} }
      state.item = await send(nodeOf('Read the job'), state, acme.key)
      const [condition] = (nodeOf('Completed?').parameters.conditions as { conditions: Json[] }).conditions
      expect(computed(condition?.leftValue, state) === condition?.rightValue).to.equal(branch === 0)
      const next = nodeOf(workflow.connections['Completed?'].main[branch]?.[0]?.node ?? '')
      if (branch === 0) expect(set(next, state)).to.deep.equal({ text: 'Welcome.', language: 'en' })
      else expect(computed(next.parameters.errorMessage, state)).to.equal('no_speech: Nobody speaks.')
    })
})
