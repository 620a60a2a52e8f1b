import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OwnPage } from '#packages/foundation/config/own-pages.ts'
import { fileName } from '#packages/foundation/page-files/file-name.ts'
import { icon as drawing } from '#packages/foundation/page-files/icon.ts'

/** A file of this folder. */
export const docsSource = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')

/**
 * A file that pages load. Its name contains the hash of its body, so that browsers may keep it for ever. `isPacked`: the
 * body is compressed by gzip.
 */
export type Asset = { name: string; body: Buffer; type: string; isPacked?: true }

export function assetOf(stem: string, extension: string, body: Buffer, type: string): Asset {
  return { name: fileName(stem, extension, body), body, type }
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? '')

const styles = docsSource('../../../../packages/foundation/page-files/base.css') + docsSource('docs.css')
const style = assetOf('docs', 'css', Buffer.from(styles), 'text/css; charset=utf-8')
const copyScript = assetOf('copy', 'js', Buffer.from(docsSource('copy.js')), 'text/javascript; charset=utf-8')
export const icon = assetOf('icon', 'svg', Buffer.from(drawing), 'image/svg+xml')

/** The files that every page of the documentation loads. */
export const frameAssets: readonly Asset[] = [style, copyScript, icon]

/** What lies around the documentation. */
export type Around = {
  /** The dashboard's path, `dashboard`; undefined: there is none. */
  dashboard: string | undefined
  ownPages: readonly OwnPage[]
}

export type DocsPage = {
  title: string
  /** The description of the page in one sentence, for search engines and previews. */
  description: string
  /**
   * The relative path from the page to the root of the service, such as `../`: the service may have a path of its own.
   */
  up: string
  /** The entry in the header that stands for this page. */
  current: 'guides' | 'reference' | 'errors'
  around: Around
  body: string
  /** More of the head. */
  head?: string
}

const footOf = (pages: readonly OwnPage[]): string =>
  pages.length === 0
    ? ''
    : `<footer class="foot">${pages.map(([words, url]) => `<a href="${escaped(url)}">${words}</a>`).join(' ')}</footer>\n`

/** A whole page: its header, with links through the documentation and back to the dashboard, and its content. */
export function frame({ title, description, up, current, around, body, head = '' }: DocsPage): string {
  const { dashboard, ownPages } = around
  const link = (entry: DocsPage['current'] | undefined, path: string, text: string): string =>
    `<a href="${up}${path}"${entry === current ? ' aria-current="true"' : ''}>${text}</a>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(description)}">
<title>${escaped(title)} · Video Intelligence</title>
<link rel="icon" href="${up}docs/${icon.name}" type="image/svg+xml">
<link rel="stylesheet" href="${up}docs/${style.name}">
<script type="module" src="${up}docs/${copyScript.name}"></script>
${head}</head>
<body class="page-${current}">
<a class="skip" href="#main">Skip to content</a>
<nav class="top" aria-label="Documentation">
<a class="brand" href="${up}docs/guides/quickstart"><img src="${up}docs/${icon.name}" alt="" width="24" height="24"> Video Intelligence <span>Docs</span></a>
<div class="entries">
${link('guides', 'docs/guides/quickstart', 'Guides')}
${link('reference', 'docs', 'Reference')}
${link('errors', 'docs/errors', 'Errors')}
${dashboard === undefined ? '' : link(undefined, dashboard, 'Dashboard')}
</div>
</nav>
${body}
${footOf(ownPages)}</body>
</html>
`
}
