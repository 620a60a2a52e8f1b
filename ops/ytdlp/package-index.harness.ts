import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { python } from '#test/doubles/python.ts'

export type Release = { name: string; version: string; hoursOld: number; requires?: string[] }

/** A local package index with the part of PyPI's interface that pip uses. */
export class PackageIndex implements Disposable {
  readonly #releases: Release[]
  readonly #directory: string
  readonly #server: Server

  private constructor(releases: Release[], directory: string) {
    this.#releases = releases
    this.#directory = directory
    this.#server = createServer(({ url = '' }, response) => {
      const [, place = '', name = ''] = url.split('/')
      if (place === 'files') return void response.end(this.#file(name))
      response.setHeader('content-type', 'application/vnd.pypi.simple.v1+json')
      response.end(JSON.stringify(this.#page(name)))
    })
  }

  /** @param directory an empty folder for its files */
  static async start(releases: Release[], directory: string): Promise<PackageIndex> {
    const wheels = releases.map(({ name, version, requires = [] }) => ({ name, version, requires }))
    execFileSync(python, [join(import.meta.dirname, 'make_wheels.py'), directory], { input: JSON.stringify(wheels) })
    const index = new PackageIndex(releases, directory)
    await new Promise<void>((resolve) => index.#server.listen(0, '127.0.0.1', resolve))
    return index
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/simple/`
  }

  [Symbol.dispose](): void {
    this.#server.close()
    this.#server.closeAllConnections()
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
