/** Debian's package `adminer`: one file with all in it. */
export const ADMINER = '/usr/share/adminer/adminer.php'

/** The entrance below overrides parts of this release; a later one names them differently. */
export const ADMINER_RELEASE = 4

/**
 * What runs in place of Adminer's own entrance. Server, user, password, kind and database come from
 * the panel with each request; what the browser says of them is thrown away before Adminer looks.
 */
export const TOOL_SCRIPT = `<?php
$berth = [];
foreach (['DRIVER', 'SERVER', 'USER', 'PASSWORD', 'DATABASE', 'SHOWN', 'SESSION'] as $name) {
  if (!isset($_SERVER['BERTH_TOOL_' . $name])) { http_response_code(403); exit; }
  $berth[$name] = $_SERVER['BERTH_TOOL_' . $name];
  unset($_SERVER['BERTH_TOOL_' . $name], $_ENV['BERTH_TOOL_' . $name]);
}
if (isset($_POST['logout'])) { header('X-Berth-Tool: end'); exit; }
unset($_POST['auth'], $_COOKIE['adminer_permanent'], $_COOKIE['adminer_key']);
foreach (['sqlite', 'sqlite2', 'pgsql', 'server', 'oracle', 'mssql', 'mongo', 'elastic', 'simpledb',
  'firebird', 'clickhouse', 'import', 'script'] as $name) {
  if ($name === 'script' && in_array($_GET['script'] ?? '', ['db', 'connect'], true)) continue;
  if ($name !== 'import') unset($_GET[$name]);
}
$_GET[$berth['DRIVER']] = '';
$_GET['username'] = $berth['SHOWN'];
if (isset($_GET['file']) === false) $_GET['db'] = $berth['DATABASE'];

function adminer_object() {
  class BerthAdminer extends Adminer {
    function name() { return 'Adminer'; }
    function credentials() {
      global $berth;
      return [$berth['SERVER'], $berth['USER'], $berth['PASSWORD']];
    }
    function database() { global $berth; return $berth['DATABASE']; }
    function databases($flush = true) { global $berth; return [$berth['DATABASE']]; }
    function serverName($server) { return 'Berth'; }
    function login($login, $password) { return true; }
    function loginForm() { echo '<p>This session has ended. Open the database in the panel again.</p>'; }
    function permanentLogin($create = false) { return false; }
    function bruteForceKey() { global $berth; return $berth['SESSION']; }
    function importServerPath() { return ''; }
  }
  return new BerthAdminer;
}

session_cache_limiter('');
session_name('adminer_sid');
session_start();
$_SESSION['pwds'] = [$berth['DRIVER'] => ['' => [$berth['SHOWN'] => '']]];
include '${ADMINER}';
`
