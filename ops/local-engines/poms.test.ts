import { readFileSync } from 'node:fs'
import { expect } from 'chai'

const read = (path: string): string => readFileSync(path, 'utf8')

describe('the jars of the engines', () => {
  const kafka = read('ops/local-engines/kafka/pom.xml')
  const mongodb = read('test/doubles/mongodb/pom.xml')

  it('have exact versions', () => {
    const versions = [kafka, mongodb].flatMap((pom) =>
      [...pom.matchAll(/<version>(.*?)<\/version>/g)].map(([, v]) => v),
    )
    expect(versions).to.deep.equal(['1', '4.4.0', '2.25.5', '1', '1.47.0', '1.47.0'])
  })

  it('leave out kafka-tools-api, which is not published, and bind slf4j: without it a failing broker is silent', () => {
    expect(kafka).to.match(/<exclusion>\s*<groupId>org.apache.kafka<\/groupId>\s*<artifactId>kafka-tools-api</)
    expect(kafka).to.contain('<artifactId>log4j-slf4j-impl</artifactId>')
  })
})
