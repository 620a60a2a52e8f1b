import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { register } from 'tsx/cjs/api'
import type { Projection } from '#packages/history/questions/projection.ts'

type Module = Record<string, unknown>

/** Loads the analyst's file, named on the command line. @throws Error it cannot be loaded */
async function loadModule(file: string): Promise<Module> {
  // Outside of a package, Node would load the file as CommonJS, unlike the service.
  const unregister = register()
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Module
  } catch (cause) {
    throw new Error(`${file} could not be loaded: ${cause instanceof Error ? cause.message : cause}`, { cause })
  } finally {
    unregister()
  }
}

/** @throws Error neither its default export nor the one with this name has all these functions and fields */
async function loadPart(file: string, name: string, needed: readonly string[]): Promise<object> {
  const module = await loadModule(file)
  const part = module[name] ?? module.default
  const missing = needed.filter((field) => (part as Module | undefined)?.[field] === undefined)
  if (missing.length > 0) throw new Error(`${file} must export ${name}, or by default, with ${missing.join(', ')}`)
  return part as object
}

/** The projection that a file exports by default or as `projection`. */
export const loadProjection = async (file: string): Promise<Projection<unknown>> =>
  (await loadPart(file, 'projection', ['initialState', 'evolve', 'print'])) as Projection<unknown>

/** The decider that a file exports by its name, such as `job`, or by default. */
export const loadDecider = (file: string, name: string): Promise<object> =>
  loadPart(file, name, ['eventTypes', 'initialState', 'evolve'])

/** The projection of the views that a file exports by its name, such as `jobs`, or by default. */
export const loadViewProjection = (file: string, name: string): Promise<object> => loadPart(file, name, ['changeOf'])
