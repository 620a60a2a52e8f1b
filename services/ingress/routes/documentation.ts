import { gunzipSync } from 'node:zlib'
import type { RequestHandler } from 'express'
import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import type { Answers } from '../answers/answers.ts'
import { staticFile } from '../answers/static-file.ts'
import type { IngressOptions } from '../options.ts'
import { errorPageText } from './docs/error-page.ts'
import { type Asset, frameAssets, icon } from './docs/frame.ts'
import { guideNames, guidePage, guideSources } from './docs/guides.ts'
import { llmsFullText, llmsText } from './docs/llms-text.ts'
import { referenceAssets, referencePage } from './docs/reference.ts'
import { onceAsked, sendFile, sendText, writtenBase } from './docs/served-text.ts'

const policyOf = (styles: string): string =>
  [
    `default-src 'none'`,
    `script-src 'self'`,
    styles,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')

/** The policy of the reference. Its renderer adds styles to the page, some at run time, so no hash fits them. */
const referencePolicy = policyOf(`style-src 'self' 'unsafe-inline'`)

/** Keeps browsers from loading anything from other hosts. */
const safe = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' }
const HTML = { ...safe, 'Content-Type': 'text/html; charset=utf-8' }
const html = { ...HTML, 'Content-Security-Policy': policyOf(`style-src 'self'`) }
const text = { ...html, 'Content-Type': 'text/plain; charset=utf-8' }
const json = { ...safe, 'Content-Type': 'application/json; charset=utf-8' }

const FOR_GOOD = 'public, max-age=31536000, immutable'

/** A file under a name that changes with its content. A packed one is unpacked when the first caller needs that. */
function sendAsset(parts: { answers: Answers }, { body, type, isPacked }: Asset): RequestHandler {
  const headers = { ...html, 'Content-Type': type, 'Cache-Control': FOR_GOOD }
  if (!isPacked) return sendFile(parts, staticFile(body, headers))
  const varying = { ...headers, Vary: 'Accept-Encoding' }
  const packed = sendFile(parts, staticFile(body, { ...varying, 'Content-Encoding': 'gzip' }))
  const plain = onceAsked(() => sendFile(parts, staticFile(gunzipSync(body), varying)))
  return (request, response, next) =>
    (/\bgzip\b/.test(request.headers['accept-encoding'] ?? '') ? packed : plain)(request, response, next)
}

type Documentation = {
  /** Files that pages load, by path. These requests are not counted. */
  assets: ReadonlyMap<string, RequestHandler>
  /** Pages and documents, by path. */
  pages: ReadonlyMap<string, RequestHandler>
  /** The icon of all pages of the service, below its root. */
  icon: string
}

/**
 * The documentation of this service.
 * @param dashboard the dashboard's path, such as `dashboard`; undefined: there is none
 */
export function documentationOf(
  parts: { answers: Answers },
  {
    publicUrl,
    examples,
    isSandbox,
    ownPages,
  }: Pick<IngressOptions, 'publicUrl' | 'examples' | 'isSandbox' | 'ownPages'>,
  dashboard: string | undefined,
): Documentation {
  const around = { dashboard, ownPages }
  /** Replaces the examples by ones that work on this service. */
  const here = (written: string): string =>
    Object.entries(examples).reduce((shown, [example, own]) => shown.replaceAll(example, () => own), written)
  const send = (shown: () => string, headers: Record<string, string>): RequestHandler =>
    onceAsked(() => sendText(parts, shown(), { publicUrl, headers }))
  const guides = guideSources.map((guide) => ({ ...guide, markdown: here(guide.markdown) }))
  const description = openapi.info.description + (isSandbox ? `\n${sandboxNote}\n` : '')
  const document = { ...openapi, info: { ...openapi.info, description }, servers: [{ url: writtenBase }] }
  return {
    icon: `docs/${icon.name}`,
    assets: new Map(
      [...frameAssets, ...referenceAssets].map((asset) => [`/docs/${asset.name}`, sendAsset(parts, asset)]),
    ),
    pages: new Map([
      ['/openapi.json', send(() => here(JSON.stringify(document)), json)],
      ['/llms.txt', send(() => llmsText(guides, isSandbox ? sandboxNote : ''), text)],
      ['/llms-full.txt', send(() => here(llmsFullText(guideSources, description)), text)],
      ['/docs', send(() => referencePage(around), { ...HTML, 'Content-Security-Policy': referencePolicy })],
      ['/docs/errors', send(() => errorPageText(around), html)],
      ...guideNames.map((name): [string, RequestHandler] => [
        `/docs/guides/${name}`,
        send(() => guidePage(guides, name, around), html),
      ]),
    ]),
  }
}

const sandboxNote =
  '**Sandbox.** This service runs with `npm start -- --sandbox`: the examples are invented videos and creators, and work as they stand.'

/** Redirects to a path relative to this one, because the service may be behind a path of its own. */
export const leadTo =
  ({ answers }: { answers: Answers }, path: string): RequestHandler =>
  (_request, response) =>
    answers.empty(response, 302, { Location: path, 'Cache-Control': 'no-cache' })
