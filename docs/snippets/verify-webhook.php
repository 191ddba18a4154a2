<?php
// PHP 7.4 or later, without packages.
const TOLERANCE_SEC = 300;

function isGenuine(string $header, string $body, string $secret): bool
{
    $time = preg_match('/(?:^|,)t=(\d+)/', $header, $found) ? $found[1] : '0';
    if (abs(time() - (int) $time) > TOLERANCE_SEC) {
        return false;
    }
    $expected = hash_hmac('sha256', "$time.$body", $secret);
    preg_match_all('/(?:^|,)v1=([0-9a-f]{64})/', $header, $given);
    foreach ($given[1] as $one) { // two while the secret is rotated
        if (hash_equals($expected, $one)) {
            return true;
        }
    }
    return false;
}

$body = file_get_contents('php://input'); // the raw bytes, not parsed
if (!isGenuine($_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '', $body, getenv('WEBHOOK_SECRET'))) {
    http_response_code(400);
    exit;
}
$event = json_decode($body, true);
// Skip events whose $event['eventId'] you have processed. Put others in a queue, then respond.
error_log("{$event['eventType']} {$event['eventId']}");
