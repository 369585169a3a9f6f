const JSON_TYPE = 'header("Content-Type: application/json");'

/** What the conformance suite asks for, by file name in the document root. */
export const SCRIPTS: Readonly<Record<string, string>> = {
  'server.php': `<?php ${JSON_TYPE} echo json_encode($_SERVER);`,
  'env.php': `<?php ${JSON_TYPE} echo json_encode(getenv());`,
  'sapi.php': `<?php ${JSON_TYPE} echo json_encode([PHP_SAPI, posix_geteuid(), posix_getegid(), getmypid()]);`,
  'headers.php': `<?php ${JSON_TYPE} echo json_encode([getallheaders(), apache_request_headers()]);`,
  'body.php':
    '<?php $b = file_get_contents("php://input"); echo $_SERVER["REQUEST_METHOD"], " ", strlen($b), " ", hash("sha256", $b), " ", $_SERVER["CONTENT_LENGTH"] ?? "none";',
  'ignore-body.php': '<?php echo "did not look";',
  'form.php': `<?php ${JSON_TYPE} $files = [];
    foreach ($_FILES as $field => $f) foreach ((array)$f["name"] as $i => $name) {
      $path = ((array)$f["tmp_name"])[$i];
      $files[] = [$field, $name, filesize($path), hash_file("sha256", $path), is_uploaded_file($path), dirname($path)];
    }
    echo json_encode(["post" => $_POST, "get" => $_GET, "cookie" => $_COOKIE, "files" => $files]);`,
  'large.php': `<?php header("Content-Type: application/octet-stream");
    for ($i = 0; $i < 1024; $i++) { echo str_repeat(pack("N", $i), 16384); flush(); }`,
  'binary.php': `<?php header("Content-Type: image/png");
    for ($round = 0; $round < 64; $round++) for ($i = 0; $i < 256; $i++) echo chr($i), chr(13), chr(10);`,
  'many-headers.php':
    '<?php for ($i = 0; $i < 300; $i++) header("X-Many-$i: value $i"); header("X-Bytes: caf\\xC3\\xA9"); echo "ok";',
  'cookies.php': `<?php setcookie("a", "1"); setcookie("b", "2", ["path" => "/x", "httponly" => true]);
    header("Set-Cookie: c=3", false); echo "ok";`,
  'code.php': '<?php http_response_code((int)$_GET["s"]); echo "body";',
  'status-line.php': '<?php header("HTTP/1.1 410 Gone"); echo "gone";',
  'status-header.php': '<?php header("Status: 403 Forbidden"); echo "no";',
  'redirect.php': '<?php header("Location: /server.php?x=1"); echo "moved";',
  'redirect-308.php': '<?php header("Location: /there", true, 308);',
  'flushed.php': `<?php header("X-Head: sent"); echo "first "; @ob_flush(); flush(); usleep(300000); echo "second ";
    @ob_flush(); flush(); usleep(300000); echo "third";`,
  'empty.php': '<?php ',
  'silent.txt.php': '<?php header("Content-Type: text/plain"); exit;',
  'slow.php': '<?php usleep(700000); echo "slow";',
  'stuck.php': '<?php sleep(60); echo "never";',
  'exit-code.php': '<?php echo "all of it"; exit(3);',
  'fatal.php': '<?php echo "never seen"; nothing_of_that_name();',
  'syntax.php': '<?php echo "x" this is no PHP',
  'exception.php': '<?php throw new RuntimeException("marker-exception");',
  'killed-early.php': '<?php posix_kill(getmypid(), 9); sleep(5);',
  'killed-late.php': `<?php header("Content-Type: text/html"); echo str_repeat("x", 20000); @ob_flush(); flush();
    usleep(100000); posix_kill(getmypid(), 9); sleep(5);`,
  'fatal-late.php': `<?php header("Content-Type: text/html"); echo str_repeat("y", 20000); @ob_flush(); flush();
    usleep(100000); nothing_of_that_name();`,
  'surplus.php': `<?php header("Content-Type: text/html"); header("Content-Length: 5"); echo "whole";
    @ob_flush(); flush(); usleep(50000); echo " and more"; @ob_flush(); flush(); sleep(60);`,
  'surplus-at-once.php': '<?php header("Content-Length: 5"); echo "whole and more";',
  'short.php': '<?php header("Content-Length: 100"); echo "short";',
  'page.php': '<?php header("Content-Type: text/html"); echo bin2hex(random_bytes(8));',
  'session.php': `<?php session_start(); $_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1;
    echo $_SESSION["n"], " ", session_save_path();`,
  'log.php': '<?php error_log("marker-" . $_GET["m"]); echo "logged";',
  'warning.php': '<?php echo $undefined_marker; echo "went on";',
  // Small pieces: lsphp overlooks the failure of a write that is larger than its buffer (8 KiB).
  'aborted.php': `<?php $file = __DIR__ . "/../tmp/aborted-" . basename($_GET["m"]);
    register_shutdown_function(function () use ($file) { file_put_contents($file, (string)connection_status()); });
    for ($i = 0; $i < 3000; $i++) { echo str_repeat("z", 4000); @ob_flush(); flush(); usleep(20000); }`,
  'ignoring.php': `<?php ignore_user_abort(true); $file = __DIR__ . "/../tmp/ignoring-" . basename($_GET["m"]);
    for ($i = 0; $i < 10; $i++) { echo str_repeat("z", 65536); @ob_flush(); flush(); usleep(30000); }
    file_put_contents($file, "done");`,
  'background.php':
    '<?php exec("sleep 20 > /dev/null &"); shell_exec("sleep 20 >/dev/null &"); echo "at once";',
  'settings.php': `<?php ${JSON_TYPE} echo json_encode(ini_get_all(null, false));`,
  'basedir.php': '<?php var_dump(@file_get_contents("/etc/passwd"));',
  'photo.jpg': '<?php echo "executed-photo";',
  'sub/index.php': '<?php echo "sub ", $_SERVER["SCRIPT_NAME"], " ", $_SERVER["PHP_SELF"];',
}
