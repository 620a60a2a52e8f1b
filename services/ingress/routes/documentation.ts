import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { RequestHandler } from 'express'
import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import type { Answers } from '../answer.ts'

const text = JSON.stringify(openapi)

/** GET /openapi.json */
export const getOpenApi =
  ({ answers }: { answers: Answers }): RequestHandler =>
  (_request, response) =>
    answers.text(response, 200, text, { 'Cache-Control': 'no-cache' })

// Relative addresses, so that the page also works behind a path of its own. No script or style stands in the page.
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Video Intelligence Service</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`

const start = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#page', validatorUrl: null, docExpansion: 'list' })\n`

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

const assetsFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const fromFolder = (file: string) => () => readFile(join(assetsFolder, file), 'utf8')

const assets: Record<string, { type: string; read: () => Promise<string> }> = {
  'swagger-ui.css': { type: 'text/css; charset=utf-8', read: fromFolder('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: 'text/javascript; charset=utf-8', read: fromFolder('swagger-ui-bundle.js') },
  'start.js': { type: 'text/javascript; charset=utf-8', read: async () => start },
}

/** GET /docs */
export const getDocs =
  ({ answers }: { answers: Answers }): RequestHandler =>
  (_request, response) =>
    answers.text(response, 200, page, { ...pageHeaders, 'Content-Type': 'text/html; charset=utf-8' })

/** GET /docs/{file}: what the page consists of; everything else is passed on. */
export const getDocsAsset =
  ({ answers }: { answers: Answers }): RequestHandler =>
  async (request, response, next) => {
    const name = String(request.params.file)
    const asset = Object.hasOwn(assets, name) ? assets[name] : undefined
    if (asset === undefined) return next()
    const headers = { ...pageHeaders, 'Content-Type': asset.type, 'Cache-Control': 'max-age=3600' }
    answers.text(response, 200, await asset.read(), headers)
  }
