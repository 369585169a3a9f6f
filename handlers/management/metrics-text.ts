/** One family of the Prometheus text format, version 0.0.4. */
export interface Metric {
  /** `[a-zA-Z_:][a-zA-Z0-9_:]*`; counters end in `_total`. */
  name: string
  help: string
  type: 'counter' | 'gauge'
  samples: readonly MetricSample[]
}

export interface MetricSample {
  labels?: Readonly<Record<string, string>>
  value: number
}

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/

const checked = (name: string, pattern: RegExp): string => {
  if (!pattern.test(name)) throw new TypeError(`"${name}" is no name of a metric or label.`)
  return name
}
const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeLabel = (text: string): string =>
  escapeHelp(text.toWellFormed()).replaceAll('"', '\\"').replaceAll('\r', ' ')
const number = (value: number): string => {
  if (Number.isNaN(value)) return 'NaN'
  if (Number.isFinite(value)) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}

const sampleLine = (name: string, { labels = {}, value }: MetricSample): string => {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${checked(label, LABEL)}="${escapeLabel(text)}"`,
  )
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${number(value)}`
}

/**
 * The text that Prometheus reads. Label values may hold anything; families
 * without samples are left out. Throws for names that the format does not know.
 */
export const renderMetrics = (metrics: readonly Metric[]): string =>
  metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${checked(name, NAME)} ${escapeHelp(help)}`,
      `# TYPE ${name} ${type}`,
      ...samples.map((sample) => sampleLine(name, sample)),
    ])
    .map((line) => `${line}\n`)
    .join('')
