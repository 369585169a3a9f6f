import type { Command } from 'commander'
import type { z } from 'zod'
import type { examinationSchema, treatmentSchema } from '#handlers/panel/host/doctor-schema.ts'
import { addCommandSpec, addTargetOptions } from './panel/frame/command-spec.ts'
import type { CommandSpec } from './panel/frame/command-types.ts'
import { known } from './panel/frame/known.ts'
import { api } from './panel/frame/panel-client.ts'

type Examined = z.output<typeof examinationSchema> & Partial<z.output<typeof treatmentSchema>>

const print = (data: unknown): void => {
  const {
    clean,
    findings,
    repaired = [],
    failed = [],
    skipped = [],
  } = known<Examined>(data, 'clean', 'findings')
  for (const { kind, subject, what } of repaired)
    console.log(`repaired  ${kind}  ${subject} ${what}`)
  for (const { kind, subject, error } of failed)
    console.log(`not repaired  ${kind}  ${subject}: ${error}`)
  for (const { host, kind, level, subject, what, why, fix, repairable } of findings) {
    const on = host === undefined ? '' : `on ${host}: `
    console.log(`${kind}  ${on}${level === 'warning' ? 'warning: ' : ''}${subject} ${what}`)
    if (why !== '') console.log(`    why: ${why}`)
    console.log(`    ${repairable ? '--fix: ' : 'by hand: '}${fix}`)
  }
  for (const { check, reason } of skipped) console.log(`not looked at  ${check}: ${reason}`)
  if (clean) console.log('Records and host agree.')
}

/** Exit code 0 when there is no fault (any more), else 1. */
const doctor: CommandSpec = {
  summary: "compare the panel's records with its machine, and look at the machine",
  note: 'Exit code 0 when there is no fault (any more), else 1; warnings do not count. The checks are in docs/doctor.md.',
  options: [['--fix', 'put right what can be']],
  examples: ['berth doctor', 'berth doctor --fix'],
  order: ({ options }) => ({
    to: options.isOn('fix') ? api`POST /api/doctor/fix` : api`GET /api/doctor`,
    done: print,
    failed: (data) => !known<Examined>(data, 'clean').clean,
  }),
}

/** `berth doctor [--fix]`. */
export const addDoctorCommand = (program: Command): void => {
  addTargetOptions(addCommandSpec(program, 'doctor', doctor))
}
