import type { Command } from 'commander'
import { z } from 'zod'
import { loadOrFail } from './config.ts'
import { readGlobalOptions } from './options.ts'
import { LocalPanelClient } from './panel-client.ts'

const findings = z.array(
  z.object({
    kind: z.string(),
    subject: z.string(),
    what: z.string(),
    fix: z.string(),
    repairable: z.boolean(),
  }),
)
const answerSchema = z.object({
  clean: z.boolean(),
  findings,
  repaired: findings.default([]),
  failed: z
    .array(z.object({ kind: z.string(), subject: z.string(), error: z.string() }))
    .default([]),
})

const print = ({ clean, findings, repaired, failed }: z.infer<typeof answerSchema>): void => {
  for (const { kind, subject, what } of repaired)
    console.log(`repaired  ${kind}  ${subject} ${what}`)
  for (const { kind, subject, error } of failed)
    console.log(`not repaired  ${kind}  ${subject}: ${error}`)
  for (const { kind, subject, what, fix, repairable } of findings)
    console.log(`${kind}  ${subject} ${what}\n    ${repairable ? '--fix: ' : 'by hand: '}${fix}`)
  if (clean) console.log('Records and host agree.')
}

/** `berth doctor [--fix]`: exit code 0 when nothing differs (any more), else 1. */
export const addDoctorCommand = (program: Command): void => {
  program
    .command('doctor')
    .description("compare the panel's records with this machine")
    .option('--fix', 'put right what can be')
    .action(async (options: { fix?: boolean }, command: Command) => {
      const { configFile, json } = readGlobalOptions(command)
      const client = new LocalPanelClient(await loadOrFail(configFile))
      const data = await (options.fix === true
        ? client.call('POST', '/api/doctor/fix')
        : client.call('GET', '/api/doctor'))
      const answer = answerSchema.parse(data)
      if (json) console.log(JSON.stringify(data, null, 2))
      else print(answer)
      process.exitCode = answer.clean ? 0 : 1
    })
}
