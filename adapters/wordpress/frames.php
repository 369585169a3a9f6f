<?php
/** How two runners hand on a site: pieces with their kind and length, over descriptor 4; see runner.php. */

namespace Berth\Runner;

/** One end of it. Whoever reads takes it for whatever another account may have sent. */
final class Frames
{
	/** A row of a table may be as large. */
	private const MOST_BYTES = 67108864;
	/** @var resource */
	private $stream;

	private function __construct(string $mode)
	{
		$stream = @fopen('php://fd/4', $mode);
		if ($stream === false) throw new Refusal('There is nobody to hand it on to.');
		$this->stream = $stream;
	}

	public static function toSend(): self
	{
		return new self('w');
	}

	public static function toTake(): self
	{
		return new self('r');
	}

	/** A piece; `$kind` is one letter. */
	public function send(string $kind, string $bytes): void
	{
		if (strlen($bytes) > self::MOST_BYTES) throw new Refusal('A value is too large to be copied.');
		$all = $kind . pack('N', strlen($bytes)) . $bytes;
		for ($at = 0; $at < strlen($all); $at += $sent) {
			$sent = @fwrite($this->stream, $at === 0 ? $all : substr($all, $at));
			if ($sent === false || $sent === 0) throw new Refusal('Whoever takes the copy has ended.');
		}
	}

	/** The last piece. */
	public function end(): void
	{
		$this->send('z', '');
		fclose($this->stream);
	}

	/**
	 * The next piece; null at the end.
	 *
	 * @return array{string, string}|null
	 */
	public function take(): ?array
	{
		$kind = $this->bytes(1);
		$length = unpack('N', $this->bytes(4))[1];
		if ($length > self::MOST_BYTES) throw new Refusal('What was sent is too large.');
		$bytes = $length === 0 ? '' : $this->bytes($length);
		return $kind === 'z' ? null : [$kind, $bytes];
	}

	private function bytes(int $count): string
	{
		$bytes = stream_get_contents($this->stream, $count);
		if ($bytes === false || strlen($bytes) !== $count) throw new Refusal('What was sent is not whole.');
		return $bytes;
	}
}
