import { type CodeWords, errorCodeWords, failureCodeWords } from '#packages/foundation/errors/code-words.ts'
import { type ErrorCode, statusOf } from '#packages/foundation/errors/service-error.ts'
import { type Around, escaped, frame } from './frame.ts'

/** One kind of codes, as the page shows it. */
type Kind = { words: ReadonlyMap<string, CodeWords>; titleOf: (code: string) => string }

const errors: Kind = {
  words: errorCodeWords,
  titleOf: (code) => `Answer to a request, status ${statusOf[code as ErrorCode]}`,
}

const failures: Kind = { words: failureCodeWords, titleOf: () => 'Failure of a job or a lookup' }

/** A text of the contract as HTML. Words between backticks become code. */
const html = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

const explained = (title: string, { meaning, charged, advice }: CodeWords): string => `
<h3>${html(title)}</h3>
<dl>
<dt>What it means</dt><dd>${html(meaning)}</dd>
<dt>Were you charged?</dt><dd>${html(charged)}</dd>
<dt>What to do</dt><dd>${html(advice)}</dd>
</dl>`

/** The section of a code. A few codes are of both kinds: they have one section with both explanations. */
const section = (code: string): string => `
<section id="${code}" class="code">
<h2><a href="#${code}"><code>${code}</code></a></h2>${[errors, failures]
  .map(({ words, titleOf }) => {
    const told = words.get(code)
    return told === undefined ? '' : explained(titleOf(code), told)
  })
  .join('')}
</section>`

const linksTo = ({ words }: Kind): string =>
  [...words.keys()].map((code) => `<a href="#${code}"><code>${code}</code></a>`).join(' ')

/** GET /docs/errors: each error code and each failure code, where `documentationUrl` leads. */
export const errorPageText = (around: Around): string =>
  frame({
    title: 'Errors',
    description: 'Every error code and failure code: what it means, whether you were charged, what to do.',
    up: '../',
    current: 'errors',
    around,
    body: `<main id="main" class="plain" tabindex="-1">
<h1>Errors</h1>
<p>Every answer with status 400 or above has an <code>error</code>, a <code>message</code>, <code>details</code> and a
<code>documentationUrl</code> that links to its section here. A failed job is answered 200 with its reason in
<code>error.code</code>, and a job that timed out is answered 504. See also <a href="guides/errors">handling errors</a>.</p>
<h2>Answers to requests</h2>
<nav class="codes" aria-label="Error codes">${linksTo(errors)}</nav>
<h2>Failures of jobs and lookups</h2>
<nav class="codes" aria-label="Failure codes">${linksTo(failures)}</nav>
${[...new Set([...errorCodeWords.keys(), ...failureCodeWords.keys()])].map(section).join('\n')}
</main>`,
  })
