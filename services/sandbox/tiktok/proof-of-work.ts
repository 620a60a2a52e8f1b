import { createHash } from 'node:crypto'
import type { SandboxAnswer, SandboxRequest } from '../site.ts'

/** The number that a browser must find by trying. The real page also asks for a number below a million. */
const NUMBER = 31_337
const COOKIE = '_wafchallengeid'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** The challenge of an exit address: a text, and the digest of the text followed by the number. */
function challengeFor({ exit }: SandboxRequest) {
  const text = `sandbox ${exit ?? ''}`
  const digest = createHash('sha256').update(`${text}${NUMBER}`).digest('base64')
  return { v: { a: base64(text), b: 'sandbox', c: digest }, s: 'sandbox' }
}

/** The page that asks for a proof of work. It is a whole page, sent with 200. */
export const proofPage = (request: SandboxRequest): SandboxAnswer => ({
  status: 200,
  body: `<!DOCTYPE html><html><head><title></title></head><body>Please wait...
<p id="cs" class="${base64(JSON.stringify(challengeFor(request)))}"></p><p id="wci" class="${COOKIE}"></p>
<p id="rci" class="waforiginalreid"></p><p id="rs" class="sandbox-request"></p>
<script>window._wafchallengeid = document.getElementById('wci')</script></body></html>`,
})

/** True if a request has the answer to its own challenge. */
export function hasProof(request: SandboxRequest): boolean {
  const [, value] = new RegExp(`\\b${COOKIE}=([^;]+)`).exec(String(request.headers.cookie ?? '')) ?? []
  if (value === undefined) return false
  const { v, d } = JSON.parse(Buffer.from(decodeURIComponent(value), 'base64').toString())
  return v?.c === challengeFor(request).v.c && d === base64(String(NUMBER))
}
