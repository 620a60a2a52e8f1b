import type { RequestHandler } from 'express'
import { type CodeWords, errorCodeWords, failureCodeWords } from '#packages/errors/code-words.ts'
import { type ErrorCode, statusOf } from '#packages/errors/service-error.ts'
import type { Answers } from '../answers/answers.ts'
import { docsFile, sendFile } from './documentation.ts'

/** One kind of codes, as the page shows it. */
type Kind = { words: ReadonlyMap<string, CodeWords>; titleOf: (code: string) => string }

const errors: Kind = {
  words: errorCodeWords,
  titleOf: (code) => `The answer to a request, status ${statusOf[code as ErrorCode]}`,
}

const failures: Kind = { words: failureCodeWords, titleOf: () => 'The reason why a job or a lookup failed' }

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text of the contract as HTML; what stands between backticks is code. */
const html = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? '').replaceAll(/`([^`]+)`/g, '<code>$1</code>')

const explained = (title: string, { meaning, charged, advice }: CodeWords): string => `
<h3>${html(title)}</h3>
<dl>
<dt>What it means</dt><dd>${html(meaning)}</dd>
<dt>Were you charged?</dt><dd>${html(charged)}</dd>
<dt>What to do</dt><dd>${html(advice)}</dd>
</dl>`

/** A few codes are of both kinds: they have one place with both explanations. */
const section = (code: string): string => `
<section id="${code}">
<h2><a href="#${code}"><code>${code}</code></a></h2>${[errors, failures]
  .map(({ words, titleOf }) => {
    const told = words.get(code)
    return told === undefined ? '' : explained(titleOf(code), told)
  })
  .join('')}
</section>`

const linksTo = ({ words }: Kind): string =>
  [...words.keys()].map((code) => `<a href="#${code}"><code>${code}</code></a>`).join(' ')

// Relative addresses, so that the page also works behind a path of its own.
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Errors · Video Intelligence Service</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem }
h2 { margin: 0 } h3 { margin: .75rem 0 0; font-size: 1rem } dt { font-weight: 600 } dd { margin: 0 0 .5rem }
nav a { margin-right: .5rem; display: inline-block }
section { margin: 1.5rem 0; padding: 1rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 8px }
section:target { border-color: #2b7de9; box-shadow: 0 0 0 2px #2b7de9 }
</style>
</head>
<body>
<h1>Errors</h1>
<p>Every answer of status 400 and above has an <code>error</code>, a <code>message</code>, <code>details</code> and a
<code>documentationUrl</code> that leads here. A failed job is answered 200 with its reason in <code>error.code</code>;
after a timeout, 504. All operations: <a href="../docs">the documentation</a>.</p>
<h2>Answers to requests</h2>
<nav>${linksTo(errors)}</nav>
<h2>Failures of jobs and lookups</h2>
<nav>${linksTo(failures)}</nav>
${[...new Set([...errorCodeWords.keys(), ...failureCodeWords.keys()])].map(section).join('\n')}
</body>
</html>
`

const errorPage = docsFile(Buffer.from(page), 'text/html; charset=utf-8', 'no-cache')

/** GET /docs/errors: each error code and each failure code, where `documentationUrl` leads. */
export const getErrorPage = (parts: { answers: Answers }): RequestHandler => sendFile(parts, errorPage)
