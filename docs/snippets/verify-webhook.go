// Go 1.18 or later, without modules.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

func isGenuine(header string, body []byte, secret string) bool {
	at, given := "0", []string{}
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		if name == "t" {
			at = value
		}
		if name == "v1" { // two while the secret is rotated
			given = append(given, value)
		}
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if age := time.Since(time.Unix(seconds, 0)); err != nil || age > tolerance || age < -tolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	expected := hex.EncodeToString(mac.Sum(nil))
	for _, one := range given {
		if hmac.Equal([]byte(one), []byte(expected)) {
			return true
		}
	}
	return false
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body) // the raw bytes, not parsed
	if err != nil || !isGenuine(request.Header.Get("X-Service-Signature"), body, os.Getenv("WEBHOOK_SECRET")) {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	var event struct{ EventID, EventType string }
	if err := json.Unmarshal(body, &event); err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	// Skip events whose event.EventID you have processed. Put others in a queue, then respond.
	fmt.Println(event.EventType, event.EventID)
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "4000"
	}
	log.Fatal(http.ListenAndServe(":"+port, http.HandlerFunc(receive)))
}
