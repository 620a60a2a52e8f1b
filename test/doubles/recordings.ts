import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { leaveOut } from '#test/runner/left-out.ts'
import type { UrlCase } from './url-cases.ts'

/** The folder beside the project with recordings and the specification's checks. It is not part of the project. */
export const sharedFolder = process.env.SHARED_FOLDER ?? '../shared'

/** A recorded answer of a platform, as text. */
export const recording = (path: string): string => readFileSync(join(sharedFolder, 'fixtures', path), 'utf8')

export const recordedJson = (path: string) => JSON.parse(recording(path))

/** Recorded answers of a real EventStoreDB 23.10.5. Undefined if they are absent. */
export function recordedBehaviour(): { name: string; observed: unknown }[] | undefined {
  const file = join(sharedFolder, 'eventstoredb/behaviour.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** URLs, each with its outcome by the specification. Undefined if they are absent. */
export function specifiedUrls(): UrlCase[] | undefined {
  const file = join(sharedFolder, 'spec/url-cases.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/**
 * Tests that compare with recordings. They are a second opinion: without the folder they are left out, and other tests
 * show the same with facts that are part of the project.
 */
export function describeRecorded(title: string, tests: () => void): void {
  const body = (): void => void describe(`${title}, recorded`, tests)
  if (existsSync(sharedFolder)) body()
  else leaveOut({ needs: 'recordings', why: 'their folder, ../shared, is absent; they are a second opinion' }, body)
}
