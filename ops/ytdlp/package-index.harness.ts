import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { python } from '#test/doubles/python.ts'

export type Release = { name: string; version: string; hoursOld: number; requires?: string[] }

/** A local package index with the part of PyPI's interface that pip uses. */
export class PackageIndex implements AsyncDisposable {
  readonly #releases: Release[]
  readonly #directory: string
  readonly #server = onLoopback(
    createServer(({ url = '' }, response) => {
      const [, place = '', name = ''] = url.split('/')
      if (place === 'files') return void response.end(this.#file(name))
      response.setHeader('content-type', 'application/vnd.pypi.simple.v1+json')
      response.end(JSON.stringify(this.#page(name)))
    }),
  )
  /** Where the index is, once it has started. */
  url = ''

  private constructor(releases: Release[], directory: string) {
    this.#releases = releases
    this.#directory = directory
  }

  /** @param directory an empty folder for its files */
  static async start(releases: Release[], directory: string): Promise<PackageIndex> {
    const wheels = releases.map(({ name, version, requires = [] }) => ({ name, version, requires }))
    execFileSync(python, [join(import.meta.dirname, 'make_wheels.py'), directory], { input: JSON.stringify(wheels) })
    const index = new PackageIndex(releases, directory)
    index.url = `http://127.0.0.1:${(await index.#server).port}/simple/`
    return index
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#server)[Symbol.asyncDispose]()
  }

  #file(name: string): Buffer {
    return readFileSync(join(this.#directory, name))
  }

  #page(name: string): object {
    const files = this.#releases
      .filter((release) => release.name === name)
      .map(({ version, hoursOld }) => {
        const filename = `${name.replaceAll('-', '_')}-${version}-py3-none-any.whl`
        return {
          filename,
          url: `/files/${filename}`,
          hashes: { sha256: createHash('sha256').update(this.#file(filename)).digest('hex') },
          'upload-time': new Date(Date.now() - hoursOld * 3_600_000).toISOString(),
        }
      })
    return { meta: { 'api-version': '1.1' }, name, files, versions: [] }
  }
}
