import { execFile } from 'node:child_process'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { withCurl } from '#test/runner/with-curl.ts'
import type { Call } from './call.ts'
import { type Language, languages, snippetOf } from './snippets.ts'

const run = promisify(execFile)

type Recorded = { method: string; url: string; headers: IncomingHttpHeaders; body: string }

/** A server that records requests. */
async function recorder() {
  const recorded: Recorded[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { method = '', url = '', headers } = request
    recorded.push({ method, url, headers, body })
    response.setHeader('content-type', 'application/json').end('{"ok":true}')
  })
  const open = await onLoopback(server)
  return { ...open, base: `http://127.0.0.1:${open.port}`, recorded }
}

/** How to run each language. TypeScript without types is JavaScript. */
const runners: Readonly<Record<Language, (code: string) => readonly [string, readonly string[]]>> = {
  curl: (code) => ['/bin/sh', ['-c', code]],
  typescript: (code) => [process.execPath, ['--input-type=module', '-e', code]],
  python: (code) => ['python3', ['-c', code]],
}

const nasty = `it's "quoted" \\ $(touch x) \`id\` $HOME !! %41 & # @ ; — 日本 🎧 \u2028 </script> tab\tline\nnext`

const post: Call = {
  method: 'POST',
  path: '/v1/extract',
  query: [],
  headers: { 'Idempotency-Key': `order "7" it's $HOME \\` },
  body: {
    url: `https://example.com/?a='"$(id)`,
    prompt: nasty,
    failFast: true,
    schema: JSON.parse(`{"type":"object","__proto__":{"x":null,"y":[1.5,false,[],{}]},"it's":"\\ud800"}`),
  },
}

const get: Call = {
  method: 'GET',
  path: '/v1/search',
  query: [
    ['q', nasty.trim()],
    ['platform', 'tiktok'],
  ],
  headers: {},
  body: undefined,
}

describe('a call as code', () => {
  const sendsWith = ([language, name]: (typeof languages)[number]) => {
    const sent = async (call: Call): Promise<Recorded | undefined> => {
      await using server = await recorder()
      const [command, args] = runners[language](snippetOf(language, server.base, call))
      await run(command, [...args])
      return server.recorded[0]
    }

    it(`sends the same body and headers in ${name} as the form, whatever they contain`, async () => {
      const { method, url, headers, body } = (await sent(post)) ?? expect.fail('nothing was sent')
      expect([method, url]).to.deep.equal(['POST', '/v1/extract'])
      expect(JSON.stringify(JSON.parse(body))).to.equal(JSON.stringify(post.body))
      expect(headers).to.include({
        'x-api-key': 'YOUR_KEY',
        'content-type': 'application/json',
        'idempotency-key': post.headers['Idempotency-Key'],
      })
    })

    it(`sends the same query in ${name} as the form, whatever it contains`, async () => {
      const { method, url, headers } = (await sent(get)) ?? expect.fail('nothing was sent')
      expect(method).to.equal('GET')
      const { pathname, searchParams } = new URL(url, 'http://localhost')
      expect([pathname, [...searchParams]]).to.deep.equal(['/v1/search', get.query])
      expect(headers).to.include({ 'x-api-key': 'YOUR_KEY' })
    })
  }

  for (const each of languages)
    if (each[0] === 'curl') withCurl(() => sendsWith(each))
    else sendsWith(each)
})
