curl --silent --show-error --cacert "$CALLGATE_CA" \
  --header "Authorization: Bearer $(cat "$CALLGATE_TOKEN")" \
  --header "Content-Type: application/json" \
  --data @docs/examples/review.json \
  "$CALLGATE_URL/apis/review.callgate.dev/v1alpha1/toolcallreviews"
