/** Part of `npm run test:languages`: how a vocabulary affects Whisper in noise. It takes long. */
import { expect } from 'chai'
import { whisperHarness } from '#packages/content/speech/whisper/whisper.harness.ts'
import { wordErrorRate } from '#packages/content/speech/word-error-rate.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { readSpeech, spokenFilm, synthesized, worse } from '#test/doubles/speech/recordings.ts'
import { withoutSpeech } from '#test/doubles/speech/without-speech.ts'

/** More terms than Whisper accepts. */
const manyTerms =
  'Kubernetes, PostgreSQL, Terraform, Grafana, Prometheus, Ansible, Jenkins, Kafka, Cassandra, Elasticsearch, Logstash, ' +
  'Kibana, RabbitMQ, Zookeeper, Hadoop, Spark, Airflow, dbt, Snowflake, Databricks, MongoDB, Redis, Memcached, Nginx, ' +
  'Envoy, Istio, Linkerd, Helm, ArgoCD, Flux, Tekton, Spinnaker, Vault, Consul, Nomad, Packer, Vagrant, VirtualBox, ' +
  'Docker, containerd, Podman, Buildah, Skopeo, Harbor, Quay, Trivy, Snyk, SonarQube, Checkmarx, Veracode, Datadog, ' +
  'NewRelic, Splunk, Dynatrace, AppDynamics, PagerDuty, Opsgenie, VictorOps, StatusPage, Slack, Mattermost, Zulip, ' +
  'Discourse, Confluence, Jira, Trello, Asana, Notion, Airtable, Figma, Sketch, InVision, Zeplin, Miro, Lucidchart'

describe('a long vocabulary', function () {
  this.timeout(180_000)
  const whisper = openedForAll(() => whisperHarness())

  const heardIn = async (name: 'film' | 'in pink noise') => {
    const path = await spokenFilm(whisper.directory, name.replaceAll(' ', '-'), { film: 'anull', ...worse }[name])
    const heard = await whisper.transcribe(whisper.engine, path, { lang: 'en', vocabulary: manyTerms })
    const said = (segments: readonly { text: string }[]) => segments.map(({ text }) => text).join(' ')
    return { ...heard, rate: wordErrorRate(said(readSpeech()), said(heard.segments)) }
  }

  it('is used as far as Whisper has room for its terms, in order; the film is heard as well as without it', async () => {
    const { vocabularyHeeded = 0, rate } = await heardIn('film')
    expect(vocabularyHeeded).to.be.within(500, manyTerms.length - 1)
    expect(manyTerms[vocabularyHeeded]).to.equal(',')
    expect(rate).to.be.at.most(0.04)
  })

  it('leaves at most 10 % of the words wrong in pink noise', async () => {
    expect((await heardIn('in pink noise')).rate).to.be.at.most(0.1)
  })

  it('is not recited when there is no speech', async () => {
    // Of the twelve sounds, the one for which a vocabulary gives the most confident text: "R&B, R&B, R&B,"
    const path = await synthesized(whisper.directory, 'silent', withoutSpeech['a buzzing tone that swells'], 8)
    const asked = { regions: [{ start: 0, end: 8 }], lang: 'en', vocabulary: manyTerms }
    expect((await whisper.transcribe(whisper.engine, path, asked)).segments).to.deep.equal([])
  })
})
