import type { Browse, BrowserQuestion } from '#packages/platforms/reading/ask-platform.ts'
import type { ScriptedAnswer } from './scripted-route.ts'

/** The requests to a browser, in order, and the code that makes them. */
export type ScriptedBrowser = { browse: Browse; asked: BrowserQuestion[] }

/** A browser with a function that answers its requests. If the function returns undefined, the answer is 404. */
export function scriptedBrowser(
  answer: (url: URL, question: BrowserQuestion) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>,
): ScriptedBrowser {
  const asked: BrowserQuestion[] = []
  return {
    asked,
    async browse(question, { signal }) {
      signal.throwIfAborted()
      asked.push(question)
      const { status = 200, body = '', ...found } = (await answer(new URL(question.url), question)) ?? { status: 404 }
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return { url: found.url ?? question.url, status, location: found.location ?? null, text }
    },
  }
}
