import type { Command } from 'commander'
import { z } from 'zod'
import { addCommandSpec, addTargetOptions, type CommandSpec } from './panel/frame/command-spec.ts'

const findings = z.array(
  z.object({
    kind: z.string(),
    // A panel of an older version has neither.
    level: z.enum(['fault', 'warning']).default('fault'),
    why: z.string().default(''),
    subject: z.string(),
    what: z.string(),
    fix: z.string(),
    repairable: z.boolean(),
  }),
)
const responseSchema = z.object({
  clean: z.boolean(),
  findings,
  repaired: findings.default([]),
  failed: z
    .array(z.object({ kind: z.string(), subject: z.string(), error: z.string() }))
    .default([]),
  skipped: z.array(z.object({ check: z.string(), reason: z.string() })).default([]),
})

const print = ({
  clean,
  findings,
  repaired,
  failed,
  skipped,
}: z.infer<typeof responseSchema>): void => {
  for (const { kind, subject, what } of repaired)
    console.log(`repaired  ${kind}  ${subject} ${what}`)
  for (const { kind, subject, error } of failed)
    console.log(`not repaired  ${kind}  ${subject}: ${error}`)
  for (const { kind, level, subject, what, why, fix, repairable } of findings) {
    console.log(`${kind}  ${level === 'warning' ? 'warning: ' : ''}${subject} ${what}`)
    if (why !== '') console.log(`    why: ${why}`)
    console.log(`    ${repairable ? '--fix: ' : 'by hand: '}${fix}`)
  }
  for (const { check, reason } of skipped) console.log(`not looked at  ${check}: ${reason}`)
  if (clean) console.log('Records and host agree.')
}

/** Exit code 0 when there is no fault (any more), else 1. */
const doctor: CommandSpec = {
  name: 'doctor',
  summary: "compare the panel's records with its machine, and look at the machine",
  note: 'Exit code 0 when there is no fault (any more), else 1; warnings do not count. The checks are in docs/doctor.md.',
  options: [['--fix', 'put right what can be']],
  examples: ['berth doctor', 'berth doctor --fix'],
  async run({ panel, options, print: printAnswer }) {
    const data = await (options.isOn('fix')
      ? panel.call('POST', '/api/doctor/fix')
      : panel.call('GET', '/api/doctor'))
    const answer = responseSchema.parse(data)
    printAnswer(data, () => print(answer))
    process.exitCode = answer.clean ? 0 : 1
  },
}

/** `berth doctor [--fix]`. */
export const addDoctorCommand = (program: Command): void => {
  addTargetOptions(addCommandSpec(program, doctor))
}
