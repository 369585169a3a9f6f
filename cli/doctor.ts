import type { Command } from 'commander'
import { z } from 'zod'
import { addCommandSpec, addTargetOptions, type CommandSpec } from './panel/frame/command-spec.ts'

const findings = z.array(
  z.object({
    kind: z.string(),
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
})

const print = ({ clean, findings, repaired, failed }: z.infer<typeof responseSchema>): void => {
  for (const { kind, subject, what } of repaired)
    console.log(`repaired  ${kind}  ${subject} ${what}`)
  for (const { kind, subject, error } of failed)
    console.log(`not repaired  ${kind}  ${subject}: ${error}`)
  for (const { kind, subject, what, fix, repairable } of findings)
    console.log(`${kind}  ${subject} ${what}\n    ${repairable ? '--fix: ' : 'by hand: '}${fix}`)
  if (clean) console.log('Records and host agree.')
}

/** Exit code 0 when nothing differs (any more), else 1. */
const doctor: CommandSpec = {
  name: 'doctor',
  summary: "compare the panel's records with its machine",
  note: 'Exit code 0 when nothing differs (any more), else 1.',
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
