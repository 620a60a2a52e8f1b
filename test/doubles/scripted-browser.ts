import type { Browse, BrowserQuestion } from '#packages/platforms/reading/ask-platform.ts'
import type { ScriptedAnswer } from './scripted-route.ts'

/** What a browser was asked for, in order, and what asks it. */
export type ScriptedBrowser = { browse: Browse; asked: BrowserQuestion[] }

/** A browser whose questions a function answers; where it returns undefined, the answer is 404. */
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
