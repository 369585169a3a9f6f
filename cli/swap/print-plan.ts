import { paint } from '../terminal/paint.ts'
import { printable } from '../terminal/printable.ts'
import { reportLines } from '../convert/print-report.ts'
import type { SwapPlan } from './swap-plan.ts'

const SERVERS = { apache: 'Apache httpd', nginx: 'nginx' }

const namesText = (names: readonly string[]): string => printable(names.join(', '))

/** The plan for people. */
export const printPlan = (plan: SwapPlan, configFile: string): void => {
  const { old, sites, kept, findings, warnings, problems, targets } = plan
  const lines = [
    old === null
      ? `${printable(plan.source)} belongs to no server that runs.`
      : `${SERVERS[old.kind]}: ${old.program} (process ${old.process.pid}) with ${printable(old.configFile)}, ports ${old.listening.map(({ port }) => port).join(', ')}${old.unit === null ? '' : `, ${old.unit}`}`,
    '',
    ...sites.map((names) => `take over  ${namesText(names)}`),
    ...kept.map((names) => `has it     ${namesText(names)} (Berth serves it already)`),
    '',
    ...reportLines(findings, process.stdout),
    ...warnings.map((warning) => `${paint('yellow', 'warning ')}  ${printable(warning)}`),
    ...(findings.length + warnings.length === 0 ? [] : ['']),
  ]
  if (problems.length > 0)
    lines.push(
      'It cannot be done like this:',
      ...problems.map((problem) => `  ${paint('red', printable(problem))}`),
    )
  else if (old !== null)
    lines.push(
      'berth swap --swap would:',
      `  1. ask ${targets.length} addresses of these sites and keep what they answer`,
      `  2. add the sites to ${configFile}`,
      '  3. start Berth beside it, where it does not run yet',
      `  4. stop ${old.program}${old.unit === null ? '' : ', also with the next start of the machine'}, and take over its ports`,
      '  5. ask the same addresses, and go back when one answers otherwise',
      'Nothing was changed now.',
    )
  console.log(lines.join('\n'))
}
