import { expect, it } from 'vitest'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import type { ModeCase } from '#test/node/php-modes/modes.ts'
import { until } from '#test/e2e/mail/mail-instance.ts'

/** PHP_SAPI of each mode. */
const SAPI = { fpm: 'fpm-fcgi', cgi: 'cgi-fcgi', lsapi: 'litespeed' } as const

const SCRIPT = `<?php
$to = 'reader@elsewhere.example';
var_dump(mail($to, 'mail() in ' . PHP_SAPI, "by mail()\\n", ['From' => 'ceo@bank.example']));
$program = ini_get('sendmail_path');
$pipe = proc_open($program, [['pipe', 'r']], $pipes);
fwrite($pipes[0], "Subject: sendmail in " . PHP_SAPI . "\\nTo: $to\\n\\nby sendmail\\n");
fclose($pipes[0]);
var_dump(proc_close($pipe));`

interface Listed {
  subject: string
  state: string
  from: string
  replaced_from: string | null
}

/** A site of a new account sends by mail() and by sendmail in each of the modes; the instance has no relay, so it keeps them. */
export const mailsOfModes = (modes: readonly ModeCase['mode'][]): void => {
  let id: number
  let domain: string
  let username: string
  const mails = () => panel.data<Listed[]>('GET', `/api/mail/${id}`)

  it('an account is made with a page that sends', async () => {
    username = randomUsername()
    domain = `${username}.example.com`
    const account = await panel.data<{ id: number }>('POST', '/api/accounts', {
      ...{ username, domain, email: `${username}@example.com`, plan: 'free' },
      password: `Pw-${username}-8x`,
    })
    id = account.id
    const file = { account_id: id, path: 'public_html/mail.php', content: SCRIPT }
    await panel.data('POST', '/api/files/write', file)
  })

  it.each(modes)('mail() and sendmail in the mode %s', async (mode) => {
    await panel.data('POST', `/api/php/version/${id}`, { version: '8.2', mode })
    const { text } = await instance.site(domain, '/mail.php')
    expect(text).toBe('bool(true)\nint(0)\n')
    const of = (rows: Listed[]) => rows.filter(({ subject }) => subject.endsWith(SAPI[mode]))
    const found = of(await until(mails, (rows) => of(rows).length === 2))
    const own = `${username}@${domain}`
    expect(found.map(({ subject }) => subject).sort()).toEqual([
      `mail() in ${SAPI[mode]}`,
      `sendmail in ${SAPI[mode]}`,
    ])
    for (const mail of found) expect(mail).toMatchObject({ state: 'kept', from: own })
    const forged = found.find(({ subject }) => subject.startsWith('mail()'))
    expect(forged?.replaced_from).toBe('ceo@bank.example')
  })

  it('a job sends by sendmail, which is first in its path', async () => {
    const command = `printf 'Subject: of a job\\nTo: reader@elsewhere.example\\n\\ntext\\n' | sendmail -t -i`
    const job = { account_id: id, name: 'Send', schedule: '0 0 1 1 *', kind: 'shell', command }
    const made = await panel.data<{ id: number }>('POST', '/api/cron', job)
    await panel.data('POST', `/api/cron/${id}/${made.id}/run`)
    const rows = await until(mails, (all) => all.some(({ subject }) => subject === 'of a job'))
    expect(rows.find(({ subject }) => subject === 'of a job')?.state).toBe('kept')
  })
}
