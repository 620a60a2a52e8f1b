import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { RequestHandler } from 'express'
import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import type { Answers } from '../answers/answers.ts'
import { type StaticFile, staticFile } from '../answers/static-file.ts'
import { docsPage, docsSource } from './docs/docs-page.ts'
import { llmsText } from './docs/llms-text.ts'
import { matches } from './get-job.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

const document = staticFile(Buffer.from(JSON.stringify(openapi)), {
  'Content-Type': JSON_TYPE,
  'Cache-Control': 'no-cache',
})

const pageHeaders = {
  'Content-Security-Policy': [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

/** A file for browsers, which keep it from loading anything from other hosts. */
export const docsFile = (body: Buffer, type: string, cacheControl: string): StaticFile =>
  staticFile(body, { ...pageHeaders, 'Content-Type': type, 'Cache-Control': cacheControl })

const page = docsFile(Buffer.from(docsPage), 'text/html; charset=utf-8', 'no-cache')

const llms = docsFile(Buffer.from(llmsText), 'text/plain; charset=utf-8', 'no-cache')

const assetsFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const asset = (body: Buffer, type: string): StaticFile => docsFile(body, type, 'max-age=3600')
const fromFolder = (file: string, type: string): StaticFile => asset(readFileSync(join(assetsFolder, file)), type)

const CSS = 'text/css; charset=utf-8'
const JAVASCRIPT = 'text/javascript; charset=utf-8'

/** All files of the page, read once at start. Requests are answered from this map only. */
const assets: ReadonlyMap<string, StaticFile> = new Map([
  ['swagger-ui.css', fromFolder('swagger-ui.css', CSS)],
  ['swagger-ui-bundle.js', fromFolder('swagger-ui-bundle.js', JAVASCRIPT)],
  ['docs.css', asset(Buffer.from(docsSource('docs.css')), CSS)],
  ['start.js', asset(Buffer.from(docsSource('start.js')), JAVASCRIPT)],
])

/** Answers with a file, or 304 to a caller that has it. */
export const sendFile =
  ({ answers }: { answers: Answers }, file: StaticFile): RequestHandler =>
  (request, response) => {
    if (matches(request.headers['if-none-match'], file.etag)) answers.empty(response, 304, file.notModifiedHeaders)
    else answers.text(response, 200, file.body, file.headers)
  }

/** GET /openapi.json */
export const getOpenApi = (parts: { answers: Answers }): RequestHandler => sendFile(parts, document)

/** GET /docs */
export const getDocs = (parts: { answers: Answers }): RequestHandler => sendFile(parts, page)

/** GET /llms.txt */
export const getLlmsText = (parts: { answers: Answers }): RequestHandler => sendFile(parts, llms)

/** Leads to another path, relative to this one: the service may stand behind a path of its own. */
export const leadTo =
  ({ answers }: { answers: Answers }, path: string): RequestHandler =>
  (_request, response) =>
    answers.empty(response, 302, { Location: path, 'Cache-Control': 'no-cache' })

/** GET /docs/{file}: the files of the page, by their names. */
export const docsAssets = (parts: { answers: Answers }): [name: string, send: RequestHandler][] =>
  [...assets].map(([name, file]) => [name, sendFile(parts, file)])
