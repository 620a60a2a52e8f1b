import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of this folder. */
export const docsSource = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** The first transcript, in each language: programs that run as they are, with the key in KEY. */
export const quickstart = [
  { title: 'curl', fence: 'sh', code: docsSource('quickstart/curl.sh') },
  { title: 'Python', fence: 'python', code: docsSource('quickstart/python.py') },
  { title: 'TypeScript', fence: 'ts', code: docsSource('quickstart/typescript.mts') },
] as const

const examples = quickstart.map(
  ({ title, code }, index) => `<details name="language"${index === 0 ? ' open' : ''}>
<summary>${title}</summary>
<pre><code>${escaped(code)}</code></pre>
</details>`,
)

/** Relative addresses, so that the page also works behind a path of its own. No script or style stands in the page. */
export const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Video Intelligence Service</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/docs.css">
</head>
<body>
<main class="quickstart">
<h1>Your first transcript</h1>
<p>With your API key in the environment variable <code>KEY</code>. The video is one of the sandbox
(<code>npm start -- --sandbox</code>); on the real platforms take any public video, and leave out <code>mode</code>.
For agents: <a href="llms.txt">llms.txt</a>; for generators: <a href="openapi.json">openapi.json</a>.</p>
${examples.join('\n')}
</main>
<div id="page"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`
